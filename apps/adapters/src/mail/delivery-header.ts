import { headerValue, type HeaderMap } from '#libs/adapter-sdk';

/** On every mail that an adapter sends: its delivery's key, and with several parts, which part of how many it is. */
export const DELIVERY_HEADER = 'X-Gatehouse-Delivery';

/** Whether a platform sent the mail. Presence decides: two installations that answer each other would loop forever. */
export function carriesDeliveryHeader(headers: HeaderMap): boolean {
  return headerValue(headers, DELIVERY_HEADER) !== undefined;
}

/** The header's value, which names one part; the same in every attempt. */
export function deliveryMark(key: string, part: { index: number; count: number }): string {
  return part.count === 1 ? key : `${key}-${part.index + 1}/${part.count}`;
}

/** Whether a mark is that of the delivery's last part: with an earlier one, there is something left to send. */
export function completesDelivery(mark: string | undefined, key: string): boolean {
  if (mark === undefined || !mark.startsWith(key)) return false;
  const [, part, count] = /^-(\d+)\/(\d+)$/.exec(mark.slice(key.length)) ?? [];
  return mark === key || (part !== undefined && part === count);
}
