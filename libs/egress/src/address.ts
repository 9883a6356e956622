import { isIPv4, isIPv6 } from 'node:net';

/** The 4 (IPv4) or 16 (IPv6) bytes of an address, most significant first. */
export type AddressBytes = readonly number[];

/** A block of addresses: those whose first `bits` bits equal those of `bytes`. */
export interface AddressRange {
  readonly bytes: AddressBytes;
  readonly bits: number;
}

/** Reads a dotted IPv4 or any RFC 4291 form of IPv6 (a zone index is ignored); undefined when it is neither. */
export function parseAddress(text: string): AddressBytes | undefined {
  const zone = text.indexOf('%');
  const address = zone === -1 ? text : text.slice(0, zone);
  if (isIPv4(address)) return dotted(address);
  return isIPv6(address) ? colons(address) : undefined;
}

/** Reads `10.0.0.0/8`, `fd00::/8`, or a bare address as a block of one; undefined when it is neither. */
export function parseRange(text: string): AddressRange | undefined {
  const [address = '', prefix, ...rest] = text.split('/');
  const bytes = parseAddress(address);
  if (!bytes || rest.length > 0) return undefined;
  if (prefix === undefined) return { bytes, bits: bytes.length * 8 };
  if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > bytes.length * 8) return undefined;
  return { bytes, bits: Number(prefix) };
}

/** Whether the address is in the block; never true across families. */
export function inRange(address: AddressBytes, range: AddressRange): boolean {
  if (address.length !== range.bytes.length) return false;
  const whole = range.bits >> 3;
  for (let i = 0; i < whole; i++) if (address[i] !== range.bytes[i]) return false;
  const rest = range.bits & 7;
  if (rest === 0) return true;
  return (((address[whole] ?? 0) ^ (range.bytes[whole] ?? 0)) & (0xff << (8 - rest)) & 0xff) === 0;
}

function dotted(address: string): number[] {
  return address.split('.').map(Number);
}

function colons(address: string): number[] {
  const [head = '', tail] = address.split('::');
  const left = groups(head);
  const right = tail === undefined ? [] : groups(tail);
  return [...left, ...Array.from({ length: 16 - left.length - right.length }, () => 0), ...right];
}

function groups(part: string): number[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (group.includes('.')) return dotted(group);
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}
