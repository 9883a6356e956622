/** What a reply may show or link to without being asked about it. */
export interface KnownTargets {
  /** Hosts whose images are shown: `api.example.com`, `*.example.com`, `localhost:8080`. */
  allowedHosts: readonly string[];
  /** Links of the message that is answered: as they stand they may be shown as images too. */
  namedLinks: ReadonlySet<string>;
  /** Links of everything that the turn has read: as they stand they may be long. */
  readLinks: ReadonlySet<string>;
}

export const unknownHost = 'an unknown address';

/** A host that every reader reads alike: no user name, no entity, no backslash in front of it or in it. */
const plainUrl = /^https?:\/\/([^\s/?#\\&@]+)(?=[/?#]|$)/i;
/** Of the page's own server, or of no server at all. */
const ownAddress = /^(?:data:image\/|cid:|[#?]|\.{1,2}\/|\/(?![/\\&])|[^\s:&\\/?#<>]+(?:[/?#]|$))/i;

/** @returns the host that showing the address would tell something, for people; null when it may be shown */
export function strangeHost(address: string, { allowedHosts, namedLinks }: KnownTargets): string | null {
  if (address === '' || ownAddress.test(address) || namedLinks.has(address)) return null;
  const [, host] = plainUrl.exec(address) ?? [];
  if (host !== undefined && isAllowed(address, allowedHosts)) return null;
  return hostOf(address) ?? unknownHost;
}

/** Whether a link's host is one that the agent may know, whatever else stands in it. */
export function isAllowed(address: string, hosts: readonly string[]): boolean {
  const [plain] = plainUrl.exec(address) ?? [];
  if (plain === undefined || !URL.canParse(plain)) return false;
  const url = new URL(plain);
  return hosts.some((host) => {
    const name = host.toLowerCase();
    return name.startsWith('*.') ? url.hostname.endsWith(name.slice(1)) : name === url.host || name === url.hostname;
  });
}

/** As a browser would read it. */
function hostOf(address: string): string | null {
  if (!URL.canParse(address, 'https://relative.invalid')) return null;
  const { host } = new URL(address, 'https://relative.invalid');
  return host === '' || host === 'relative.invalid' || host.length > 253 ? null : host;
}

const link = /\b(?:https?|ftp):\/\/[^\s<>"\\^`{|}]+/gi;
export const trailing = /[)\].,;:!?'"*_]+$/;

/** The links that stand in a text, as they stand there. */
export function linksIn(text: string): string[] {
  return [...text.matchAll(link)].flatMap(([found]) => [found, found.replace(trailing, '')]);
}
