import { isJsonObject } from './json-value.js';

/** Shorter values are not redacted: a two-letter field would blank out words that happen to contain it. */
const MIN_SECRET_LENGTH = 4;

/** The text with every value of the credentials object, at any depth, replaced by `[redacted]`. */
export function redactSecrets(text: string, credentials: unknown): string {
  const secrets = new Set<string>();
  const open: unknown[] = [credentials];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === 'string' && value.length >= MIN_SECRET_LENGTH) secrets.add(value);
    else if (Array.isArray(value)) for (const entry of value) open.push(entry);
    else if (isJsonObject(value)) for (const entry of Object.values(value)) open.push(entry);
  }
  const longestFirst = [...secrets].sort((a, b) => b.length - a.length);
  return longestFirst.reduce((redacted, secret) => redacted.replaceAll(secret, '[redacted]'), text);
}
