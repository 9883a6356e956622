import { isJsonObject } from '#libs/adapter-sdk';
import { Problem } from '#libs/service-kit';

/** Set by the connection, by proxies or by the platform: a sample cannot set them. */
const reserved =
  /^(host|connection|content-length|transfer-encoding|expect|upgrade|te|trailer|keep-alive|proxy-.*|x-gatehouse-.*)$/;
const maxHeaders = 50;
const maxChars = 4_096;

/** Headers that a person typed. @throws Problem 422 `invalid_fields` */
export function givenHeaders(given: Record<string, unknown>): Record<string, string> {
  const entries = lowerCased(given);
  const wrong = entries.find(([name, value]) => !isSendable(name, value));
  if (wrong || entries.length > maxHeaders) {
    const message = wrong
      ? `${wrong[0]} cannot be sent: name and value must be printable ASCII, and not a header that the connection sets`
      : `must be at most ${maxHeaders}`;
    throw new Problem(422, 'invalid_fields', 'Some fields are not valid.', [{ field: 'headers', message }]);
  }
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}

/** Headers of a manifest, without what cannot be sent. */
export function manifestHeaders(given: unknown): Record<string, string> {
  const entries = isJsonObject(given) ? lowerCased(given) : [];
  const sendable = entries.filter(([name, value]) => isSendable(name, value)).slice(0, maxHeaders);
  return Object.fromEntries(sendable.map(([name, value]) => [name, String(value)]));
}

function lowerCased(given: Record<string, unknown>): [string, unknown][] {
  return Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]);
}

function isSendable(name: string, value: unknown): boolean {
  if (!/^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/.test(name) || reserved.test(name)) return false;
  return typeof value === 'string' && value.length <= maxChars && !/[^\t\x20-\x7e]/.test(value);
}
