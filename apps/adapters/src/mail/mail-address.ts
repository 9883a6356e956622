/** The longest address that SMTP carries (RFC 5321 4.5.3.1.3, less the angle brackets). */
const MAX_ADDRESS_LENGTH = 254;
const ADDRESS = /^[^\s<>()[\]",:;@\\\p{Cc}]+@[^\s<>()[\]",:;@\\\p{Cc}]+$/u;

/**
 * Whether text is one bare address: no display name, list, quoting, comment or control character, so that it stands in a
 * header or an SMTP command as it is.
 */
export function isMailAddress(text: string): boolean {
  return text.length <= MAX_ADDRESS_LENGTH && ADDRESS.test(text);
}

/** The address in a `From` value such as `Jane <jane@example.com>`, in lower case; undefined when there is none. */
export function addressIn(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const bracketed = /<([^<>]*)>\s*$/.exec(text.slice(0, 2_000));
  const address = (bracketed?.[1] ?? text).trim().toLowerCase();
  return isMailAddress(address) ? address : undefined;
}

/** The display name in a `From` value; undefined when there is none. */
export function nameIn(text: string | undefined): string | undefined {
  const name = /^([^<]*)<[^<>]*>\s*$/.exec((text ?? '').slice(0, 2_000))?.[1]?.trim();
  return name?.replace(/^"(.*)"$/s, '$1').replaceAll('\\"', '"') || undefined;
}
