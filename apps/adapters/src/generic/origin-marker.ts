import {
  headerValue,
  isJsonObject,
  isOriginMarker,
  secretList,
  signHmac,
  type Credentials,
  type HeaderMap,
} from '#libs/adapter-sdk';

export const ORIGIN_HEADER = 'X-Gatehouse-Origin';
export const ORIGIN_FIELD = 'gatehouse_origin';

/** Used in the marker of an installation without a secret to derive one from. */
const UNSIGNED_ORIGIN = 'gatehouse-generic';
const MARKER_LENGTH = 32;

/** What a webhook says about its origin. */
export interface Origin {
  isSelf: boolean;
  /** The marker of a platform; only the platform can tell whose it is. */
  marker?: string;
}

/** The marker that every outgoing request carries in a header and in its body: the platform's, else one of this App. */
export function originMarker(credentials: Credentials, given: string | undefined): string {
  if (given !== undefined) return given;
  const [secret] = secretList(credentials.signing_secret);
  return secret ? signHmac(secret, ORIGIN_HEADER).slice(0, MARKER_LENGTH) : UNSIGNED_ORIGIN;
}

/**
 * Whether a webhook is an echo of a `/deliver`. For a marker that no platform gave, its presence decides and not its
 * value: an echo may outlive the secret that its marker was derived from. A platform's marker is passed on to the
 * platform: the App's own is an echo, and one of another App counts as a hop.
 */
export function originOf(headers: HeaderMap, document: unknown): Origin {
  const carried: unknown[] = [headerValue(headers, ORIGIN_HEADER), ...markerFields(document)].filter(
    (value) => value !== undefined,
  );
  const marker = carried.find(isOriginMarker);
  return { isSelf: carried.some((value) => !isOriginMarker(value)), ...(marker !== undefined && { marker }) };
}

function markerFields(document: unknown): unknown[] {
  if (!isJsonObject(document)) return [];
  return [document, document.metadata]
    .filter(isJsonObject)
    .flatMap((fields) => Object.entries(fields))
    .filter(([field]) => ['gatehouse_origin', 'x_gatehouse_origin'].includes(field.toLowerCase().replaceAll('-', '_')))
    .map(([, value]) => value ?? '');
}
