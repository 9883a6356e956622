import type { CallContext, Credentials } from './call-context.js';
import type { MessageFormat } from './manifest.js';

/** What `/format` renders: Markdown from an agent. */
export interface FormatRequest {
  text: string;
  mode: 'rich' | 'plain';
  /** UTF-16 code units. */
  max_length?: number;
}

/**
 * A call of `/format`. Like every handler it receives the credentials (contract 4.1, rule 4). Do not use them: the same
 * text has to give the same answer, and none of them may be in it.
 */
export interface FormatCall extends FormatRequest {
  credentials: Credentials;
  context: CallContext;
}

/**
 * Answer of `/format`. `parts` is the text in pieces of at most `max_length`; `lossy` names what could not be shown.
 */
export interface FormatResult {
  text: string;
  format: MessageFormat;
  parts: string[];
  lossy: string[];
}
