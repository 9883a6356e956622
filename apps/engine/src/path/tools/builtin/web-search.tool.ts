import { decodeText } from '#libs/charset';
import { type Egress, EgressError, type EgressResponse } from '#libs/egress';
import type { BoundCredential } from '../bound-credentials.js';
import { failure, isFailure, matchesHost, noteIn, type ToolFailure } from '../tool.js';
import type { BuiltinWork } from './builtin-library.js';
import { notForHost, secretOf } from './host-credential.js';

interface Hit {
  title: string;
  url: string;
  excerpt: string;
}

interface Provider {
  base: string | null;
  /** It is asked with a key; one that is not never gets the credential's. */
  keyed: boolean;
  request(
    base: string,
    query: string,
    count: number,
    key: string,
  ): { url: string; method: 'GET' | 'POST'; headers: Record<string, string>; body?: string };
  hits(answer: Record<string, unknown>): unknown;
  excerpt: string;
}

/** The shapes of https://docs.searxng.org/dev/search_api.html, Brave's Web Search API and https://docs.tavily.com. */
const providers: Record<string, Provider> = {
  searxng: {
    base: null,
    keyed: false,
    request: (base, query) => ({
      url: withQuery(`${base}/search`, { q: query, format: 'json' }),
      method: 'GET',
      headers: {},
    }),
    hits: (answer) => answer['results'],
    excerpt: 'content',
  },
  brave: {
    base: 'https://api.search.brave.com',
    keyed: true,
    request: (base, query, count, key) => ({
      url: withQuery(`${base}/res/v1/web/search`, { q: query, count: String(count) }),
      method: 'GET',
      headers: { accept: 'application/json', 'x-subscription-token': key },
    }),
    hits: (answer) => (answer['web'] as Record<string, unknown> | undefined)?.['results'],
    excerpt: 'description',
  },
  tavily: {
    base: 'https://api.tavily.com',
    keyed: true,
    request: (base, query, count, key) => ({
      url: `${base}/search`,
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ query, max_results: count }),
    }),
    hits: (answer) => answer['results'],
    excerpt: 'content',
  },
};

const maxAnswerBytes = 2 * 1024 * 1024;

/** A text credential may name its provider. For the other types, the bound host decides. */
const wish = { as: 'search', types: ['api_key', 'oauth2'] };

/**
 * `web_search`: takes an api_key or oauth2 credential that a Skill binds to the provider's host, or a text credential
 * with `provider`, with `api_key` if the provider needs one, and with `base_url` for a self-hosted one.
 */
export function webSearch(egress: Egress, timeoutMs: number): BuiltinWork {
  return {
    external: true,
    noted: noteIn,
    run: async (args, call, credentials) => {
      const named = typeof args['credential'] === 'string' ? args['credential'] : null;
      const credential = await credentials.read(call.turn, named, wish);
      if (isFailure(credential)) return credential;
      try {
        const count = Number(args['count'] ?? 10);
        return await search(egress, timeoutMs, credential, String(args['query']), count, call.signal);
      } catch (error) {
        if (call.signal.aborted) throw call.signal.reason;
        if (!(error instanceof EgressError)) throw error;
        return failure(error.code, 'The search provider gave no answer.');
      }
    },
  };
}

async function search(
  egress: Egress,
  timeoutMs: number,
  credential: BoundCredential,
  query: string,
  count: number,
  signal: AbortSignal,
): Promise<{ note?: string; results: Hit[] } | ToolFailure> {
  const { as, fields, hosts, ownHosts } = credential;
  const provider = providerOf(credential);
  const base = (fields['base_url'] ?? provider?.base)?.replace(/\/+$/, '');
  if (!provider || !base || !URL.canParse(base)) {
    const names = Object.keys(providers).join(', ');
    const there = Object.values(providers).flatMap((one) => (one.base ? [new URL(one.base).host] : []));
    return failure(
      'no_credential',
      `The credential ${as} names no search provider: bind it to ${there.join(' or ')}, or give a text credential its provider (${names}).`,
    );
  }
  const to = new URL(base);
  const bound = [hosts, ownHosts].find((list) => list.length > 0 && !list.some((host) => matchesHost(to, host)));
  if (bound) return notForHost(as, bound, to.host);
  const secret = secretOf(credential);
  const { url, ...request } = provider.request(base, query, count, secret ?? '');
  const response = await egress.fetch(url, { ...request, timeoutMs, maxResponseBytes: maxAnswerBytes, signal });
  const without = wentWithout(to, response, { as, secret, keyed: provider.keyed });
  const note = without === null ? {} : { note: without };
  if (response.status !== 200) {
    return { ...failure('search_failed', `The search provider answered ${response.status}.`), ...note };
  }
  const hits = hitsOf(
    decodeText(response.body, { contentType: response.headers['content-type'] })?.text ?? '',
    provider,
  );
  return hits
    ? { ...note, results: hits.slice(0, count) }
    : { ...failure('search_failed', 'The answer of the search provider cannot be read.'), ...note };
}

/** Why the answer is to a search that did not carry the credential's secret, in words; null: it carried it, or none is needed. */
function wentWithout(
  to: URL,
  { url }: EgressResponse,
  { as, secret, keyed }: { as: string; secret: string | null; keyed: boolean },
): string | null {
  const answering = new URL(url);
  if (secret === null) {
    return keyed ? `This search went to ${to.host} without a key: the credential ${as} has no secret to send.` : null;
  }
  if (!keyed) return `This search went to ${to.host} without the secret of the credential ${as}: SearXNG takes no key.`;
  if (answering.origin === to.origin) return null;
  return `This search was redirected to ${answering.host}, without the credential ${as}.`;
}

function providerOf({ type, fields, hosts }: BoundCredential): Provider | undefined {
  const name = fields['provider'];
  if (name !== undefined || type === 'text') return new Map(Object.entries(providers)).get(name ?? '');
  return Object.values(providers).find(({ base }) => base && hosts.some((host) => matchesHost(new URL(base), host)));
}

function hitsOf(text: string, provider: Provider): Hit[] | null {
  let found: unknown;
  try {
    found = provider.hits(JSON.parse(text) as Record<string, unknown>);
  } catch {
    return null;
  }
  if (!Array.isArray(found)) return null;
  return (found as Record<string, unknown>[]).map((hit) => ({
    title: shortened(hit['title'], 300),
    url: shortened(hit['url'], 2_000),
    excerpt: shortened(hit[provider.excerpt], 1_000),
  }));
}

function shortened(value: unknown, chars: number): string {
  return typeof value === 'string' ? value.slice(0, chars) : '';
}

function withQuery(url: string, query: Record<string, string>): string {
  return `${url}?${new URLSearchParams(query).toString()}`;
}
