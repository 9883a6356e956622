import { isIP } from 'node:net';
import { inRange, parseAddress, parseRange, type AddressRange } from './address.js';
import { carriedV4, classifyAddress } from './address-verdict.js';

/** What an operator allows besides the public internet. */
export interface AllowList {
  /** Whether this exact host and port was listed, so that its addresses need not be public. */
  names(hostname: string, port: number): boolean;
  /** Whether a socket may connect to the address; `named` is the result of `names` for its host. */
  permits(address: string, named: boolean): boolean;
}

/**
 * Entries: `host`, `host:port`, `[v6]:port`, an address, or a CIDR block. Names are compared in the spelling of a URL.
 * Metadata addresses stay closed whatever the entries say.
 * @throws RangeError naming the entry that is none of these
 */
export function allowList(entries: readonly string[]): AllowList {
  const hosts = new Set<string>();
  const ranges: AddressRange[] = [];
  for (const entry of entries.map((each) => each.trim()).filter((each) => each !== '')) {
    const range = parseRange(entry);
    if (range) ranges.push(range);
    else hosts.add(hostKey(entry));
  }
  return {
    names: (hostname, port) => hosts.has(hostname) || hosts.has(`${hostname}:${port}`),
    permits(address, named) {
      const bytes = parseAddress(address);
      if (!bytes) return false;
      const verdict = classifyAddress(bytes);
      if (verdict !== 'private') return verdict === 'public';
      if (named || ranges.some((range) => inRange(bytes, range))) return true;
      const carried = carriedV4(bytes);
      return (
        carried.length > 0 &&
        carried.every((each) => classifyAddress(each) === 'public' || ranges.some((range) => inRange(each, range)))
      );
    },
  };
}

/** The host of a URL without brackets and root dot, so that `LOCALHOST.` and `localhost` are the same name. */
export function bareHostname(url: URL): string {
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
  return host.endsWith('.') && isIP(host) === 0 ? host.slice(0, -1) : host;
}

function hostKey(entry: string): string {
  const [, host = '', port] = /^(\[[^\]]+\]|[^:/?#@\s]+)(?::(\d{1,5}))?$/.exec(entry) ?? [];
  const url = host === '' ? null : URL.parse(`http://${host}/`);
  if (!url || url.hostname === '' || Number(port ?? 1) > 65_535) {
    throw new RangeError(`egress allow-list: "${entry}" is not a host, host:port, address or CIDR block`);
  }
  return port === undefined ? bareHostname(url) : `${bareHostname(url)}:${Number(port)}`;
}
