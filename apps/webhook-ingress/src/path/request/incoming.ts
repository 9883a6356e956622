import type { Endpoint } from '#libs/contracts';
import type { Problem, ReachedLimit } from '#libs/service-kit';

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

/** What its sender is answered where it is not refused. */
export interface Answer {
  status: number;
  headers: Record<string, string | number>;
  body: string;
  /** The event that the request became. Absent: none, or one that existed before. */
  event_id?: string;
}

/** Why a request is not accepted: the status and code of the answer, and what the sender can do. */
export class Refused extends Error {
  override readonly name = 'Refused';
  constructor(
    readonly status: number,
    readonly code: string,
    readonly detail: string,
    readonly headers: Record<string, string> = {},
    /** Of a 429. */
    readonly limit?: ReachedLimit,
  ) {
    super(code);
  }
}

/** What all services refuse alike is given in the form of a webhook's refusals. */
export function asRefused({ status, code, detail, headers, limit }: Problem): Refused {
  return new Refused(status, code, detail, headers, limit);
}

/** One answer for every path and token that does not exist, so that it reveals nothing. */
export const unknownPath = new Refused(404, 'not_found', 'There is nothing here.');
