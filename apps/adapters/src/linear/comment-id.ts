import { createHash } from 'node:crypto';

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

export const isUuid = (text: string): boolean => UUID.test(text);

/**
 * The id that a part of a delivery has at Linear, which takes ids of its clients: a UUID of version 4. That of the last
 * part says that the delivery is complete.
 */
export function commentId(key: string, part: number | 'last'): string {
  const hex = createHash('sha256').update(`${key}:${part}`).digest('hex');
  const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) % 4];
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
