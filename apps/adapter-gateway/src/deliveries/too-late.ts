import type { DeliveryRow } from '../entities/delivery.entity.js';
import { inWords } from './in-words.js';

export const tooLateCode = 'too_late';

/** The reply is not worth sending any more: its channel says for how long it is (`reply_ttl_seconds`). */
export class TooLate extends Error {
  override readonly name = 'TooLate';
  readonly code = tooLateCode;

  /** @param notThere whether the adapter has looked, and an earlier attempt whose answer was lost did not arrive */
  constructor(
    message: string,
    readonly notThere: boolean,
  ) {
    super(message);
  }
}

/** When a delivery expires, in ms since the epoch; infinite when it does not. A redrive gives it the whole time again. */
export function expiresAtMs({ open_since: since, content }: DeliveryRow): number {
  const { ttl_seconds: seconds } = content.target;
  return seconds === undefined ? Infinity : since.getTime() + seconds * 1_000;
}

/** @throws TooLate */
export function requireInTime(delivery: DeliveryRow, notThere = false): void {
  if (Date.now() >= expiresAtMs(delivery)) throw new TooLate(tooLate(delivery), notThere);
}

/** Why a reply is not sent, for people. */
export function tooLate({ content, from_part: sent, parts }: DeliveryRow): string {
  const ttl = inWords((content.target.ttl_seconds ?? 0) * 1_000);
  const some = sent > 0 ? ` ${sent} of its ${parts ?? 'several'} parts had arrived.` : '';
  return `It was worth sending for ${ttl} (reply_ttl_seconds of its channel), and could not be sent in that time.${some}`;
}
