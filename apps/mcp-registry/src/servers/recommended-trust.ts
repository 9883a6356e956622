import type { ContentTrust } from '#libs/contracts';
import { bareHostname, classifyAddress, parseAddress } from '#libs/egress';

/** What the tools of a server claim by `openWorldHint`: how many say that they reach anybody, and how many that they do not. */
export interface WorldHints {
  open: number;
  closed: number;
  tools: number;
}

export interface RecommendedTrust {
  trust: ContentTrust;
  why: string;
}

/** Names that only a network of one's own resolves. */
const ownName = /^[^.]+$|\.(?:svc|local|internal|intranet|lan|home\.arpa|svc\.cluster\.local)$/i;

/**
 * How far the results of a server might be trusted, by where it runs and by what its tools claim of themselves. A
 * person decides: a claim of the server proves nothing.
 */
export function recommendedTrust(url: string, { open, closed, tools }: WorldHints): RecommendedTrust {
  const runsHere = isOwnHost(new URL(url));
  if (open > 0) {
    const why = `${open} of its ${tools} tools say that they reach the open world, where anybody may write what they return.`;
    return { trust: 'untrusted', why };
  }
  const isClosed = tools > 0 && closed === tools;
  if (runsHere && isClosed) {
    return { trust: 'own', why: 'It runs in your own network, and its tools say that they reach nothing outside.' };
  }
  if (runsHere) {
    const why = 'It runs in your own network, but not all its tools say that they reach nothing outside.';
    return { trust: 'partner', why };
  }
  return isClosed
    ? { trust: 'partner', why: 'It runs outside of your network, and its tools say that they reach nothing else.' }
    : { trust: 'untrusted', why: 'It runs outside of your network, and its tools do not say what they reach.' };
}

function isOwnHost(url: URL): boolean {
  const host = bareHostname(url);
  const address = parseAddress(host);
  return address === undefined ? ownName.test(host) : classifyAddress(address) === 'private';
}
