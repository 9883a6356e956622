import { headerValue, isJsonObject, secretList, signHmac, type Credentials, type HeaderMap } from '#libs/adapter-sdk';

export const ORIGIN_HEADER = 'X-Gatehouse-Origin';
export const ORIGIN_FIELD = 'gatehouse_origin';

/** Stands in the marker of an installation that has no secret to derive one from. */
const UNSIGNED_ORIGIN = 'gatehouse-generic';
const MARKER_LENGTH = 32;

/** What every outgoing request carries in a header and in its body. Tells installations apart, reveals no secret. */
export function originMarker(credentials: Credentials): string {
  const [secret] = secretList(credentials.signing_secret);
  return secret ? signHmac(secret, ORIGIN_HEADER).slice(0, MARKER_LENGTH) : UNSIGNED_ORIGIN;
}

/**
 * Whether a webhook is an echo of what a `/deliver` sent. Its presence decides, not its value: an echo may outlive the
 * secret that its marker came from, and two installations that answer each other are the same endless loop.
 */
export function carriesOriginMarker(headers: HeaderMap, document: unknown): boolean {
  if (headerValue(headers, ORIGIN_HEADER) !== undefined) return true;
  if (!isJsonObject(document)) return false;
  return [document, document.metadata]
    .filter(isJsonObject)
    .flatMap((fields) => Object.keys(fields))
    .some((field) => ['gatehouse_origin', 'x_gatehouse_origin'].includes(field.toLowerCase().replaceAll('-', '_')));
}
