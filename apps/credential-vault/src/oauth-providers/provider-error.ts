/** What an answer without tokens says about the failure. */
export interface ProviderError {
  /** A well-formed code; null when the answer names none. */
  code: string | null;
  /** The provider's words. They are only compared: they may quote what was sent. */
  words: string;
}

/** Where answers have their codes, and where their words, in the order in which they are looked for. */
const codeKeys = ['error', 'errors', 'error_code', 'errorCode', 'errcode', 'code', 'error_type', 'errorType'];
/** In a success, these say something else. */
const laterCodeKeys = ['type', 'status', 'reason', 'name'];
const wordKeys = [
  'error_description',
  'error_message',
  'errorMessage',
  'error_msg',
  'errmsg',
  'message',
  'msg',
  'detail',
  'details',
  'description',
  'reason',
  'title',
  'errorSummary',
  'faultstring',
];
/** What some providers put around everything. In a success it has more than failures, so only its words are read. */
const envelopeKeys = ['data', 'fault', 'result', 'response'];
const codePattern = /^[\w.-]{1,64}$/;
const maxWords = 2_000;
const maxDepth = 3;
/** Values that say that something failed, or nothing at all, but not what. */
const saysNothing = new Set(['error', 'errors', 'fail', 'failed', 'failure', 'false', 'true', 'ok', 'success', 'null']);

/** The statuses' own names, in plain form. */
const phrases: Readonly<Record<number, string>> = {
  400: 'badrequest',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'notfound',
  405: 'methodnotallowed',
  406: 'notacceptable',
  409: 'conflict',
  410: 'gone',
  415: 'unsupportedmediatype',
};

/** @param body the parsed answer, or its text if it cannot be parsed */
export function providerError(status: number, body: unknown): ProviderError {
  if (typeof body === 'string') return { code: null, words: /^\s*</.test(body) ? '' : body.slice(0, maxWords) };
  const words: string[] = [];
  const code = codeIn(body, status, words, 0);
  return { code, words: words.join(' ').slice(0, maxWords) };
}

/** For comparison: `Invalid-Grant`, `INVALID_GRANT` and `invalidGrant` are the same code. */
export const plain = (code: string): string => code.toLowerCase().replace(/[^a-z0-9]/g, '');

function codeIn(value: unknown, status: number, words: string[], depth: number): string | null {
  if (typeof value === 'string' || typeof value === 'number') {
    const text = String(value);
    if (isCode(text, status)) return text;
    if (typeof value === 'string') words.push(value.slice(0, maxWords));
    return null;
  }
  if (typeof value !== 'object' || value === null || depth > maxDepth) return null;
  if (Array.isArray(value)) return codeIn(value[0], status, words, depth + 1);
  const fields = new Map(Object.entries(value));
  let code: string | null = null;
  const keys = status < 300 && depth === 0 ? codeKeys : [...codeKeys, ...laterCodeKeys];
  for (const key of keys) code ??= codeIn(fields.get(key), status, words, depth + 1);
  for (const key of wordKeys) {
    const text = fields.get(key);
    if (typeof text === 'string') words.push(text.slice(0, maxWords));
  }
  for (const key of envelopeKeys) {
    const within = codeIn(fields.get(key), status, words, depth + 1);
    if (status >= 300) code ??= within;
  }
  return code;
}

/** The status repeated in the body, as a number or in words, is no code of its own. */
function isCode(text: string, status: number): boolean {
  if (!codePattern.test(text) || saysNothing.has(text.toLowerCase())) return false;
  if (/^(0|[45]\d\d)$/.test(text)) return false;
  return plain(text) !== phrases[status];
}
