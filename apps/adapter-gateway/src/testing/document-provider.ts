import {
  createAdapterServer,
  defineAdapter,
  type FetchFileResult,
  type ListChangesCall,
  type ListChangesResult,
} from '#libs/adapter-sdk';

/** A provider of documents with its adapter, made with the SDK. */
export interface DocumentProvider {
  url: string;
  /** Text by path; the fingerprint is the beginning of the text. */
  files: Map<string, string>;
  /** How often each path was fetched. */
  fetched: Map<string, number>;
  listed: (string | null)[];
  /** Whether listings say that they are complete. */
  full: boolean;
  /** Answers instead of the provider, where it returns something: also what the contract does not allow. */
  onList: (call: ListChangesCall) => ListChangesResult | object | undefined;
  onFetch: (path: string) => Promise<FetchFileResult | undefined> | FetchFileResult | object | undefined;
  close(): Promise<void>;
}

/** For a provider that no other test knows. */
export const newSlug = (): string => `docs-${Math.random().toString(36).slice(2, 8)}`;

const pageSize = 100;

/** Lists everything each time, page by page; `next:<n>` is the cursor within a listing, `end` the one after it. */
export async function documentProvider(slug: string): Promise<DocumentProvider> {
  const provider: Omit<DocumentProvider, 'url' | 'close'> = {
    files: new Map(),
    fetched: new Map(),
    listed: [],
    full: true,
    onList: () => undefined,
    onFetch: () => undefined,
  };
  const server = createAdapterServer(
    [
      defineAdapter({
        manifest: {
          schema_version: '1.0',
          slug,
          name: slug,
          description: 'Documents of the tests.',
          category: 'productivity',
          capabilities: [],
          credentials: [],
        },
        verify: () => ({ ok: true, user: 'documents' }),
        sources: {
          listChanges: (call) => {
            provider.listed.push(call.cursor);
            const instead = provider.onList(call) as ListChangesResult | undefined;
            return instead ?? page(provider.files, call.cursor, provider.full);
          },
          fetchFile: async ({ file_path: path }) => {
            const instead = (await provider.onFetch(path)) as FetchFileResult | undefined;
            if (instead) return instead;
            const text = provider.files.get(path);
            if (text === undefined) return { ok: false, error: 'not_found' };
            provider.fetched.set(path, (provider.fetched.get(path) ?? 0) + 1);
            return { bytes: Buffer.from(text), content_type: 'text/plain', fingerprint: fingerprintOf(text) };
          },
        },
      }),
    ],
    { version: 'test' },
  );
  server.log.level = 'silent';
  const origin = await server.listen({ port: 0, host: '127.0.0.1' });
  return Object.assign(provider, { url: `${origin}/${slug}`, close: () => server.close() });
}

function page(files: Map<string, string>, cursor: string | null, full: boolean): ListChangesResult {
  const start = Number(/^next:(\d+)$/.exec(cursor ?? '')?.[1] ?? 0);
  const all = [...files];
  const changes = all
    .slice(start, start + pageSize)
    .map(([path, text]) => ({ path, fingerprint: fingerprintOf(text), status: 'added' as const }));
  const end = start + pageSize;
  const more = end < all.length;
  return { changes, cursor: more ? `next:${end}` : 'end', has_more: more, full };
}

function fingerprintOf(text: string): string {
  return text.slice(0, 50);
}
