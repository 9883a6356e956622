import type { IncomingMessage, ServerResponse } from 'node:http';
import { httpServer, sendJson } from './http-server.js';

/** What the gateway sends: the fields of all routes that tests read. */
export interface CallBody {
  credentials: Record<string, string>;
  message: { text: string; thread_id?: string; attachments?: object[]; [field: string]: unknown };
  channel_address: string;
  thread_id?: string;
  idempotency_key: string;
  from_part: number;
  origin_marker: string;
  text: string;
  cursor: string | null;
  request: { body: string; headers: Record<string, string> };
}

/** A manifest, with the fields that tests change. */
export interface FakeManifest {
  slug: string;
  description: string;
  capabilities: string[];
  credentials: Record<string, unknown>[];
  oauth_config?: { token_url: string; scopes: string[] };
  [field: string]: unknown;
}

export type Route = (body: CallBody, response: ServerResponse, request: IncomingMessage) => unknown;

/** An adapter whose answers a test can replace, even with ones that no SDK would give. */
export interface FakeAdapter {
  url: string;
  slug: string;
  manifest: FakeManifest;
  health: Record<string, unknown>;
  /** By path below the adapter's; what a route returns is sent as JSON, unless it answered by itself. */
  routes: Record<string, Route>;
  calls: { route: string; body: CallBody }[];
  /** What a route was called with, in order. */
  bodiesOf(route: string): CallBody[];
  close(): Promise<void>;
}

function json(body: string): CallBody | null | undefined {
  try {
    return body === '' ? null : (JSON.parse(body) as CallBody);
  } catch {
    return undefined;
  }
}

export async function fakeAdapter(slug: string, manifest: Record<string, unknown> = {}): Promise<FakeAdapter> {
  const server = await httpServer(async (path, body, response, request) => {
    const route = path.replace(`/${slug}/`, '');
    const parsed = json(body);
    if (parsed === undefined) return sendJson(response, { error: 'invalid_json' }, 400);
    const sent = parsed ?? ({} as CallBody);
    if (request.method === 'POST') adapter.calls.push({ route, body: sent });
    const answer = adapter.routes[route];
    if (!answer) return sendJson(response, { error: 'not_found' }, 404);
    const value = await answer(sent, response, request);
    if (value !== undefined) sendJson(response, value);
  });
  const adapter: FakeAdapter = {
    url: `${server.url}/${slug}`,
    slug,
    manifest: {
      schema_version: '1.0',
      slug,
      name: slug,
      description: 'A provider of the tests.',
      category: 'Integration',
      capabilities: ['send', 'receive'],
      credentials: [{ key: 'TOKEN', type: 'text', label: 'Token', maps_to: 'token' }],
      ...manifest,
    },
    health: { status: 'ready', version: 'build-1', adapter: slug },
    routes: {
      'manifest.json': () => adapter.manifest,
      health: () => adapter.health,
      format: ({ text }) => ({ text, format: 'plain', parts: [text], lossy: [] }),
    },
    calls: [],
    bodiesOf: (asked) => adapter.calls.filter(({ route }) => route === asked).map(({ body }) => body),
    close: () => server.close(),
  };
  return adapter;
}
