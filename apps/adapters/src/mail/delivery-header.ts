import { headerValue, type HeaderMap } from '#libs/adapter-sdk';

/** On every mail that an adapter sends: its idempotency key and part. */
export const DELIVERY_HEADER = 'X-Gatehouse-Delivery';

/** Whether the platform sent the mail. Presence decides: two installations that answer each other are an endless loop. */
export function carriesDeliveryHeader(headers: HeaderMap): boolean {
  return headerValue(headers, DELIVERY_HEADER) !== undefined;
}
