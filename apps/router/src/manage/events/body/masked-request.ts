import { type InboundRequest, isProofName, isSecretName, type StoredRequest } from '#libs/contracts';
import type { EventRequestView } from './event-request.dto.js';

const shownOfProof = 16;
const shownBodyChars = 262_144;

/** A stored request as shown to people: without the token of the webhook's URL, and without the sender's secrets. */
export function maskedRequest(eventId: string, stored: StoredRequest): EventRequestView {
  const { request, received_at, remote_address, verified_scheme, bytes } = stored;
  const text = request.body_encoding === 'utf8' ? request.body : null;
  return {
    event_id: eventId,
    received_at,
    remote_address,
    verified_scheme,
    bytes,
    method: request.method,
    path: request.path.replace(/(\/webhooks\/)[^/]+$/, '$1***'),
    query: masked(request.query),
    headers: masked(request.headers),
    body: text?.slice(0, shownBodyChars) ?? null,
    body_is_whole: text !== null && text.length <= shownBodyChars,
  };
}

function masked(values: InboundRequest['headers']): EventRequestView['headers'] {
  return Object.entries(values)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, given]) =>
      [given].flat().map((value) => {
        const shown = maskedValue(name, value);
        return { name, value: shown, masked: shown !== value };
      }),
    );
}

function maskedValue(name: string, value: string): string {
  if (isSecretName(name)) return `*** (${value.length} characters)`;
  if (!isProofName(name) || value.length <= shownOfProof) return value;
  return `${value.slice(0, shownOfProof)}… (${value.length} characters)`;
}
