import { inRange, parseRange, type AddressBytes, type AddressRange } from './address.js';

/** `metadata` addresses give out the machine's own credentials: no allow-list opens them. */
export type AddressVerdict = 'public' | 'private' | 'metadata';

/**
 * Classifies an address by its bytes. Every IPv4 address that an IPv6 one carries must be public too.
 * Sources: IANA special-purpose address registries (RFC 6890), RFC 4291, 6052 (NAT64), 3056 (6to4), 4380 (Teredo).
 */
export function classifyAddress(address: AddressBytes): AddressVerdict {
  if (anyContains(METADATA, address)) return 'metadata';
  if (address.length === 4) return anyContains(CLOSED_V4, address) ? 'private' : 'public';
  const carried = carriedV4(address);
  if (carried.length > 0) {
    const verdicts = carried.map(classifyAddress);
    if (verdicts.includes('metadata')) return 'metadata';
    return verdicts.includes('private') ? 'private' : 'public';
  }
  return inRange(address, GLOBAL_UNICAST_V6) && !anyContains(CLOSED_V6, address) ? 'public' : 'private';
}

/** The IPv4 addresses at which a packet to this IPv6 address ends up: empty for a plain one. */
export function carriedV4(address: AddressBytes): AddressBytes[] {
  if (anyContains(V4_IN_LAST_BYTES, address)) return [address.slice(12)];
  if (inRange(address, SIX_TO_FOUR)) return [address.slice(2, 6)];
  if (inRange(address, TEREDO)) return [address.slice(4, 8), address.slice(12).map((byte) => byte ^ 0xff)];
  return [];
}

function anyContains(ranges: readonly AddressRange[], address: AddressBytes): boolean {
  return ranges.some((range) => inRange(address, range));
}

function range(text: string): AddressRange {
  const parsed = parseRange(text);
  if (!parsed) throw new RangeError(`not an address block: ${text}`);
  return parsed;
}

const METADATA = [
  '169.254.0.0/16', // AWS, Google Cloud, Azure, Oracle, ECS and EKS task credentials: all of link-local
  '100.100.100.200', // Alibaba Cloud
  '168.63.129.16', // Azure's wire server, public by its bytes
  '192.0.0.192', // Oracle Cloud, classic
  'fd00:ec2::/32', // AWS
  'fd20:ce::254', // Google Cloud
  'fd00:42::42', // Scaleway
].map(range);

const CLOSED_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
].map(range);

const GLOBAL_UNICAST_V6 = range('2000::/3');
const CLOSED_V6 = ['2001::/23', '2001:db8::/32', '3fff::/20'].map(range);

// v4-mapped, v4-translated (SIIT), v4-compatible, NAT64. The unspecified address and ::1 read as 0.0.0.0/8: closed.
const V4_IN_LAST_BYTES = ['::ffff:0:0/96', '::ffff:0:0:0/96', '::/96', '64:ff9b::/96'].map(range);
const SIX_TO_FOUR = range('2002::/16');
const TEREDO = range('2001::/32');
