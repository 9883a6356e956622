/** An IPv4 address, or the /64 of an IPv6 one: a client that has one address of it has them all. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return mapped;
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const first = head === '' ? [] : head.split(':');
  const missing = tail === undefined ? 0 : 8 - first.length - (tail === '' ? 0 : tail.split(':').length);
  const groups = [...first, ...Array<string>(Math.max(0, missing)).fill('0'), ...(tail?.split(':') ?? [])];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group || '0', 16).toString(16))
    .join(':')}::/64`;
}
