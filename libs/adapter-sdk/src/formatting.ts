import type { MessageFormat } from './manifest.js';

/** Request of `/format`: Markdown from an agent. */
export interface FormatRequest {
  text: string;
  mode: 'rich' | 'plain';
  /** UTF-16 code units. */
  max_length?: number;
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
