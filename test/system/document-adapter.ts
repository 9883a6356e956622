import { createAdapterServer, defineAdapter, type PlaceAccess } from '#libs/adapter-sdk';

/** An adapter of a provider with that many documents, in pages of a hundred. */
export interface DocumentAdapter {
  url: string;
  /** A document's text. */
  textOf(path: string): string;
  /** How often each document was fetched. */
  fetched: Map<string, number>;
  close(): Promise<void>;
}

const pageSize = 100;

/** @param access what it says of who may read all of them */
export async function openDocumentAdapter(count: number, access?: PlaceAccess): Promise<DocumentAdapter> {
  const fetched = new Map<string, number>();
  const textOf = (path: string): string => `Book ${path.slice(2)} of the library`;
  const server = createAdapterServer(
    [
      defineAdapter({
        manifest: {
          schema_version: '1.0',
          slug: 'library',
          name: 'Library',
          description: 'Has documents.',
          category: 'productivity',
          capabilities: [],
          credentials: [],
        },
        verify: () => ({ ok: true, user: 'library' }),
        sources: {
          listChanges: ({ cursor }) => {
            const from = Number(cursor ?? 0);
            const size = Math.max(0, Math.min(pageSize, count - from));
            const changes = Array.from({ length: size }, (_, n) => ({
              path: `f/${from + n}`,
              fingerprint: String(from + n),
              status: 'added' as const,
            }));
            const more = from + size < count;
            return { changes, cursor: String(from + size), has_more: more, full: true, ...(access && { access }) };
          },
          fetchFile: ({ file_path: path }) => {
            fetched.set(path, (fetched.get(path) ?? 0) + 1);
            return { bytes: Buffer.from(textOf(path)), content_type: 'text/plain', fingerprint: path.slice(2) };
          },
        },
      }),
    ],
    { version: 'test' },
  );
  server.log.level = 'silent';
  const origin = await server.listen({ port: 0, host: '127.0.0.1' });
  return { url: `${origin}/library`, textOf, fetched, close: () => server.close() };
}
