import { type Address, addressParser } from 'postal-mime';

/** The longest address in SMTP (RFC 5321 4.5.3.1.3, without the angle brackets). */
const MAX_ADDRESS_LENGTH = 254;
const ADDRESS = /^[^\s<>()[\]",:;@\\\p{Cc}]+@[^\s<>()[\]",:;@\\\p{Cc}]+$/u;

/**
 * Whether text is one bare address: no display name, list, quoting, comment or control character, so that it is safe in
 * a header or an SMTP command.
 */
export function isMailAddress(text: string): boolean {
  return text.length <= MAX_ADDRESS_LENGTH && ADDRESS.test(text);
}

/** One of a header's mailboxes, decoded (RFC 2047). */
interface Mailbox {
  /** In lower case; undefined if mail cannot be sent to it. */
  address: string | undefined;
  name: string | undefined;
}

/** Per header: a list of recipients may be long, and is only shown. */
const MAX_HEADER_LENGTH = 32_000;

/**
 * The address in a `From` or `Reply-To` value such as `Jane <jane@example.com>`, in lower case. Of several, the first
 * that can be answered; undefined when there is none.
 */
export function addressIn(text: string | undefined): string | undefined {
  return answerable(text)?.address;
}

/** All addresses in a header's value that can be answered. */
export function addressesIn(text: string | undefined): string[] {
  return entriesIn(text).flatMap((entry) => (entry.group ?? [entry]).flatMap((one) => mailboxOf(one).address ?? []));
}

/**
 * The display name, or the comment in its place, of the mailbox that `addressIn` returns; undefined when there is none.
 */
export function nameIn(text: string | undefined): string | undefined {
  return answerable(text)?.name;
}

/** A `From`, `To` or `Cc` value with its names decoded, for people and for filters. */
export function addressListText(text: string | undefined): string {
  return entriesIn(text).map(entryText).join(', ');
}

function answerable(text: string | undefined): Mailbox | undefined {
  return entriesIn(text)
    .flatMap((entry) => (entry.group ?? [entry]).map(mailboxOf))
    .find(({ address }) => address !== undefined);
}

function entriesIn(text: string | undefined): Address[] {
  return addressParser((text ?? '').slice(0, MAX_HEADER_LENGTH));
}

function mailboxOf({ address, name }: Pick<Address, 'address' | 'name'>): Mailbox {
  const bare = (address ?? '').trim().toLowerCase();
  return { address: isMailAddress(bare) ? bare : undefined, name: oneLine(name) || undefined };
}

function entryText(entry: Address): string {
  if (entry.group) return `${oneLine(entry.name)}:${entry.group.map(entryText).join(', ')};`;
  const [name, address] = [oneLine(entry.name), oneLine(entry.address ?? '')];
  if (name === '' || address === '') return name || address;
  // A decoded name may contain a separator, or look like an address.
  const quoted = /[",:;<>@()[\]\\]/.test(name) ? `"${name.replace(/["\\]/g, '\\$&')}"` : name;
  return `${quoted} <${address}>`;
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}
