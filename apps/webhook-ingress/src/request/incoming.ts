import type { Endpoint } from '#libs/contracts';

/** A request as the door read it. */
export interface Incoming {
  method: string;
  /** Path and query, including the token. */
  url: string;
  token: string;
  headers: Record<string, string | string[] | undefined>;
  /** Without the codings of its Content-Encoding. */
  body: Buffer;
  /** As it came, where that is something else. */
  compressed: Buffer | null;
  remoteAddress: string;
  /** Sent by the platform itself, to see how it is answered. */
  probe: boolean;
}

/** The first value of a header. */
export function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

/**
 * The sender's name for the delivery: `Idempotency-Key`, `webhook-id`, or the header that the App's manifest declares.
 * @returns the value, and the text whose hash is the key of the delivery
 */
export function deliveryIdOf(
  endpoint: Pick<Endpoint, 'delivery_id_header'>,
  headers: Incoming['headers'],
): { value: string; key: string } | null {
  const declared = endpoint.delivery_id_header;
  const name = headers['idempotency-key'] ? 'idempotency-key' : headers['webhook-id'] ? 'webhook-id' : declared;
  const value = name === null ? undefined : one(headers[name]);
  return value ? { value, key: `${name}:${value}` } : null;
}
