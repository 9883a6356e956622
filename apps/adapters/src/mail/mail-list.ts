import { headerValue, type HeaderMap } from '#libs/adapter-sdk';
import { addressesIn, addressIn } from './mail-address.js';

/** Where mails to a list go (RFC 2369); undefined for one that takes none, such as a newsletter. */
export function listAddress(headers: HeaderMap): string | undefined {
  return addressIn(/<mailto:([^>?\s]+)/i.exec(headerValue(headers, 'list-post') ?? '')?.[1]);
}

/**
 * The `From` of the person who wrote. Groups whose members' providers forbid it put their own address there (`Jane via
 * Desk <desk@example.com>`), and the person's into another header.
 */
export function fromHeader(headers: HeaderMap): string | undefined {
  const from = headerValue(headers, 'from');
  const original = ['x-original-from', 'x-google-original-from'].map((name) => headerValue(headers, name));
  const named = original.find((value) => addressIn(value) !== undefined);
  if (named !== undefined) return named;
  const list = listAddress(headers);
  if (list === undefined || addressIn(from) !== list) return from;
  return addressesIn(headerValue(headers, 'reply-to')).find((address) => address !== list) ?? from;
}

/** A group that stands for an address, as a desk with several people behind it: Google's. */
export function isGroup(headers: HeaderMap): boolean {
  return ['x-google-group-id', 'x-original-from', 'x-google-original-from'].some(
    (name) => headerValue(headers, name) !== undefined,
  );
}
