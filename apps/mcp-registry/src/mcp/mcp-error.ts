import { EgressError } from '#libs/egress';
import { Problem } from '#libs/service-kit';
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } from '@modelcontextprotocol/client';
import { isAboutCredential, serverWords } from './server-words.js';
import { saysSessionLost } from './session-words.js';
import { plainText } from '../tools/plain-text.js';

/** Every way in which talking to an MCP server can fail. */
export type McpErrorCode =
  | 'unreachable'
  | 'blocked_address'
  | 'auth_failed'
  | 'timeout'
  | 'cancelled'
  | 'session_lost'
  | 'busy'
  | 'response_too_large'
  | 'list_too_long'
  | 'protocol_error'
  /** The server asks for something before it answers that nobody here gives. */
  | 'input_refused'
  | 'refused';

/** `sent` is false if the server has not acted on the request: a retry then cannot repeat an effect. */
export class McpError extends Error {
  override readonly name = 'McpError';
  constructor(
    readonly code: McpErrorCode,
    message: string,
    readonly sent: boolean,
    options?: ErrorOptions,
  ) {
    // The message often quotes the server, and goes to a log, a row and a person.
    super(plainText(message).slice(0, 500), options);
  }
}

const egressCodes: Partial<Record<EgressError['code'], McpErrorCode>> = {
  timeout: 'timeout',
  aborted: 'cancelled',
  response_too_large: 'response_too_large',
  blocked_address: 'blocked_address',
  blocked_scheme: 'blocked_address',
  blocked_redirect: 'blocked_address',
  invalid_url: 'blocked_address',
};

/** The one place that classifies errors of the client and the network. */
export function toMcpError(error: unknown): McpError {
  const own = inChain(error, (one) => one instanceof McpError);
  if (own) return own;
  const egress = inChain(error, (one) => one instanceof EgressError);
  if (egress) {
    return new McpError(egressCodes[egress.code] ?? 'unreachable', egress.message, egress.sent, { cause: error });
  }
  // The vault gave no values to authenticate with, and says why.
  const problem = inChain(error, (one) => one instanceof Problem);
  if (problem) {
    return new McpError(problem.status >= 500 ? 'unreachable' : 'auth_failed', problem.detail, false, { cause: error });
  }
  const status = httpStatus(error);
  if (status !== null) return ofStatus(status, wordsOf(error), error);
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof UnauthorizedError) {
    return new McpError('auth_failed', 'the server requires a credential (HTTP 401)', false, { cause: error });
  }
  if (error instanceof ProtocolError && saysSessionLost(error.code, error.message)) {
    return new McpError('session_lost', `the server does not know the session: ${message}`, false, { cause: error });
  }
  if (error instanceof ProtocolError) return new McpError('refused', message, true, { cause: error });
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
    return new McpError('timeout', 'no answer in time', true, { cause: error });
  }
  if (error instanceof SdkError && lostCodes.has(error.code)) {
    return new McpError('session_lost', 'the connection ended', error.code === SdkErrorCode.ConnectionClosed, {
      cause: error,
    });
  }
  return new McpError('protocol_error', invalidResult(error) ?? noMcp(error) ?? message, true, { cause: error });
}

/** One sentence for a result of another shape, where the client quotes its validator; null: it is not about that. */
function invalidResult(error: unknown): string | null {
  const invalid = inChain(
    error,
    (one): one is SdkError => one instanceof SdkError && one.code === SdkErrorCode.InvalidResult,
  );
  if (!invalid) return null;
  const issues = invalid.message.replace(/^Invalid result for [^:]*: /, '');
  return `the server answered, but not with a result of MCP: ${firstIssue(issues) ?? issues}`;
}

/** The first finding of a validator's list, in words; null: the text is none. */
function firstIssue(issues: string): string | null {
  try {
    const [issue] = JSON.parse(issues) as { path?: PropertyKey[]; message?: string }[];
    return issue ? [issue.path?.join('.'), issue.message].filter(Boolean).join(': ') : null;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return null;
    throw error;
  }
}

/** One sentence for an answer that the client cannot read as a message of the protocol; null: it is not about that. */
function noMcp(error: unknown): string | null {
  const type = inChain(
    error,
    (one): one is SdkError => one instanceof SdkError && one.code === SdkErrorCode.ClientHttpUnexpectedContent,
  );
  if (type) {
    const [, kind = ''] = /content type: ([\w.+-]+\/[\w.+-]+)/.exec(type.message) ?? [];
    const what = kind === 'text/html' ? 'a web page' : kind === '' ? 'something of no type' : kind;
    return `what answers at this URL is no MCP server: it sent ${what}`;
  }
  const other = inChain(
    error,
    (one): one is Error => one instanceof Error && (one.name === 'SyntaxError' || one.name.endsWith('ZodError')),
  );
  return other && 'what answers at this URL is no MCP server: it sent something that is no message of MCP';
}

/** The server's own words behind an error. */
function wordsOf(error: unknown): string {
  const typed = inChain(error, (one) => one instanceof SdkHttpError);
  const { text } = (typed?.data ?? {}) as { text?: unknown };
  if (typeof text === 'string') return serverWords(text);
  const worded = inChain(error, (one): one is Error => one instanceof Error && /\(HTTP \d{3}\): /.test(one.message));
  return serverWords(worded?.message.replace(/^.*?\(HTTP \d{3}\): /s, '') ?? '');
}

const lostCodes = new Set<string>([SdkErrorCode.ConnectionClosed, SdkErrorCode.NotConnected]);

/** The HTTP status behind an error, or null. The SSE transport has it only in its message. */
export function httpStatus(error: unknown): number | null {
  const typed = inChain(error, (one) => one instanceof SdkHttpError);
  if (typed) return typed.status;
  const worded = inChain(error, (one): one is Error => one instanceof Error && /\bHTTP \d{3}\b/.test(one.message));
  return worded ? Number(/\bHTTP (\d{3})\b/.exec(worded.message)?.[1]) : null;
}

function ofStatus(status: number, words: string, cause: unknown): McpError {
  const suffix = words === '' ? '' : `: ${words}`;
  const say = (code: McpErrorCode, message: string, sent = false): McpError =>
    new McpError(code, `${message} (HTTP ${status})${suffix}`, sent, { cause });
  if (status >= 300 && status < 400) return say('protocol_error', 'the server redirects, which is not followed');
  if (status === 401) return say('auth_failed', 'the server refuses the credential');
  if (status === 403 && isAboutCredential(words)) return say('auth_failed', 'the server refuses the credential');
  // Other ways to say it are recognised where the answer's body is read (`sessionFetch`).
  if (status === 404) return say('session_lost', 'the server does not know the session');
  if ([400, 403, 421].includes(status)) return say('refused', 'the server refuses the request');
  if (status === 429) return say('unreachable', 'the server limits the rate of requests');
  if (status >= 500) return say('unreachable', 'the server fails', true);
  return say('protocol_error', 'the server did not answer as an MCP server does');
}

function inChain<T>(error: unknown, is: (one: unknown) => one is T): T | null {
  for (let one = error, depth = 0; one instanceof Error && depth < 8; one = one.cause, depth += 1)
    if (is(one)) return one;
  return null;
}
