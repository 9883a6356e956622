import type { Manifest } from '#libs/adapter-sdk';
import { type DirectApp, type InboundRequest, isProofName, isSecretName, type RequestFacts } from '#libs/contracts';

/** They are about one connection, and say nothing about the event. */
const ofConnection =
  /^(?:connection|keep-alive|te|trailer|transfer-encoding|upgrade|content-length|expect|via|forwarded|x-forwarded-.*|x-real-ip|x-original-u.*|x-rewrite-url|referer)$/;
/** Names that code which walks an object could mistake for its own. */
const notOwn = new Set(['__proto__', 'constructor', 'prototype']);
/** A secret in a header of any name: an authorization scheme, or a token that is signed. */
const secretValue =
  /^\s*(?:bearer|basic|digest|token|hmac|apikey|negotiate)\s+\S|\beyJ[\w-]{8,}\.[\w-]+\.|^sha(?:1|256|512)=/i;

/** An App and its adapter, as far as they say how webhooks are checked. */
interface Declaring {
  app: Pick<DirectApp, 'signature'>;
  adapter: { manifest: Pick<Manifest, 'webhook'> } | null;
}

type Entry = [name: string, value: string];

/**
 * What filters may read of a request: headers by their lower-case name, query parameters also by theirs. Left out are
 * secrets and proofs of the sender, values that contain the token of the webhook, and what exceeds the bound.
 */
export function requestFacts(request: InboundRequest, declaring: Declaring, maxBytes: number): RequestFacts {
  const declared = declaredNames(declaring);
  const token = request.path.slice(request.path.lastIndexOf('/') + 1);
  const isReadable = ([name, value]: Entry): boolean =>
    !isSecretName(name) &&
    !isProofName(name) &&
    !declared.has(name.toLowerCase()) &&
    !notOwn.has(name) &&
    !secretValue.test(value) &&
    (token === '' || !value.includes(token));
  const headers = entriesOf(request.headers)
    .map(([name, value]): Entry => [name.toLowerCase(), value])
    .filter((entry) => !ofConnection.test(entry[0]) && isReadable(entry));
  const query = withLowerCase(entriesOf(request.query)).filter(isReadable);
  const kept = within(maxBytes, [
    ...headers.map((entry) => ({ entry, from: 'headers' as const })),
    ...query.map((entry) => ({ entry, from: 'query' as const })),
  ]);
  const of = (from: keyof RequestFacts): Record<string, string> =>
    Object.fromEntries(kept.filter((each) => each.from === from).map(({ entry }) => entry));
  return { headers: of('headers'), query: of('query') };
}

/** Where the App's own declarations place a signature or a token. */
function declaredNames({ app, adapter }: Declaring): Set<string> {
  const { verification, handshake } = adapter?.manifest.webhook ?? {};
  const scheme = typeof verification === 'object' ? verification : undefined;
  const query = typeof scheme?.['query'] === 'string' ? scheme['query'] : undefined;
  const { signature } = app;
  const names = [signature?.header, signature?.query, scheme?.header, query, handshake?.verify_token?.query];
  return new Set(names.flatMap((name) => name?.toLowerCase() ?? []));
}

function entriesOf(values: InboundRequest['headers']): Entry[] {
  return Object.entries(values).map(([name, value]) => [name, [value].flat().join(', ')]);
}

/** A parameter is found by the name that its sender wrote, and by the lower-case one. */
function withLowerCase(query: Entry[]): Entry[] {
  const given = new Set(query.map(([name]) => name));
  const lower = query.map(([name, value]): Entry => [name.toLowerCase(), value]).filter(([name]) => !given.has(name));
  return [...query, ...lower];
}

function within<T extends { entry: Entry }>(maxBytes: number, all: T[]): T[] {
  let left = maxBytes;
  return all
    .map((each) => ({ each, bytes: Buffer.byteLength(each.entry.join('')) }))
    .toSorted((a, b) => a.bytes - b.bytes)
    .flatMap(({ each, bytes }) => {
      left -= bytes;
      return left >= 0 ? [each] : [];
    });
}
