import { plainText } from '../tools/plain-text.js';

const maxWords = 200;

/** What a server says in the body of a refusal, as one line of text; '' when it says nothing that a person can read. */
export function serverWords(body: string): string {
  const line = (inJson(body) ?? (/^\s*</.test(body) ? titleOf(body) : body)).replace(/\s+/g, ' ');
  const words = plainText(line).trim();
  return words.length > maxWords ? `${words.slice(0, maxWords)}…` : words;
}

/** Whether a refusal is about who asks. One that says nothing may be. */
export function isAboutCredential(words: string): boolean {
  if (/^\W*(?:forbidden|access denied|permission denied|403(?: forbidden)?)?\W*$/i.test(words)) return true;
  return /\b(?:token|credentials?|auth\w*|api[- ]?key|scopes?|permissions?|log ?in|sign ?in|password|subscription|account)\b/i.test(
    words.replaceAll('_', ' '),
  );
}

function inJson(body: string): string | null {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return null;
  }
  if (typeof value === 'string') return value;
  const { error, error_description: description, message, detail, title } = (value ?? {}) as Record<string, unknown>;
  const inner = typeof error === 'object' && error !== null ? (error as { message?: unknown }).message : undefined;
  const found = [inner, description, message, detail, error, title].find((each) => typeof each === 'string');
  return (found as string | undefined) ?? '';
}

function titleOf(page: string): string {
  return /<title[^>]*>([^<]{1,500})/i.exec(page)?.[1] ?? '';
}
