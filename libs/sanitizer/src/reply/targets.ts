/** What a reply may show or link to without asking. */
export interface KnownTargets {
  /** Hosts whose images are shown: `api.example.com`, `*.example.com`, `localhost:8080`. */
  allowedHosts: readonly string[];
  /** Links in the message being answered: unchanged, they may also be shown as images. */
  namedLinks: ReadonlySet<string>;
  /** Links in everything that the turn has read: unchanged, they may be long. */
  readLinks: ReadonlySet<string>;
}

export const unknownHost = 'an unknown address';

/** A host that all parsers read the same way: no user name, entity or backslash before it or in it. */
const plainUrl = /^https?:\/\/([^\s/?#\\&@]+)(?=[/?#]|$)/i;
/** On the page's own server, or on no server at all. */
const ownAddress = /^(?:data:image\/|cid:|[#?]|\.{1,2}\/|\/(?![/\\&])|[^\s:&\\/?#<>]+(?:[/?#]|$))/i;

/** @returns the host that would learn something if the address were shown, for people; null when it may be shown */
export function strangeHost(given: string, { allowedHosts, namedLinks }: KnownTargets): string | null {
  // The URL parser leaves these out: `/<tab>/evil.example` leads to another host.
  const address = given.replace(/[\t\n\r]/g, '').replace(/^[\0- ]+/, '');
  if (address === '' || ownAddress.test(address) || namedLinks.has(address)) return null;
  const [, host] = plainUrl.exec(address) ?? [];
  if (host !== undefined && isAllowed(address, allowedHosts)) return null;
  return hostOf(address) ?? unknownHost;
}

/** Whether a link's host is one that the agent may know, whatever else the link contains. */
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

/** The links in a text, exactly as written. */
export function linksIn(text: string): string[] {
  return [...text.matchAll(link)].flatMap(([found]) => [found, found.replace(trailing, '')]);
}
