import type { Toolset } from '#libs/contracts';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RecordedRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown>;
}

/** JSON with status 200, lines of JSON, or a status with a problem's code. */
export type FakeAnswer = object | { lines: object[] } | { status: number; code: string };

export interface FakeServices {
  url: string;
  requests: RecordedRequest[];
  /** What was sent to a path, in the order in which it came. */
  bodies<Body extends object>(path: string): Body[];
  /** Sets the answer for a path; one that ends with a slash stands for all just below it. */
  on(path: string, answer: (request: RecordedRequest) => FakeAnswer | Promise<FakeAnswer>): void;
  close(): Promise<void>;
}

/** Fakes of the vault, the registry and the runner at one address; each test sets their answers. */
export async function fakeServices(): Promise<FakeServices> {
  const requests: RecordedRequest[] = [];
  const answers = new Map<string, (request: RecordedRequest) => FakeAnswer | Promise<FakeAnswer>>();
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      void (async () => {
        const url = new URL(incoming.url ?? '/', 'http://fake');
        const text = Buffer.concat(chunks).toString();
        const request: RecordedRequest = {
          method: incoming.method ?? '',
          path: url.pathname,
          query: url.searchParams,
          headers: incoming.headers,
          body: text ? (JSON.parse(text) as Record<string, unknown>) : {},
        };
        requests.push(request);
        const below = url.pathname.replace(/[^/]+$/, '');
        const answering = answers.get(url.pathname) ?? answers.get(below);
        const answer = (await answering?.(request)) ?? { status: 404, code: 'not_found' };
        if ('lines' in answer && Array.isArray(answer.lines)) {
          const lines = answer.lines.map((line) => JSON.stringify(line)).join('\n');
          response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(lines);
          return;
        }
        const status = 'code' in answer && 'status' in answer ? Number(answer.status) : 200;
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      })();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    bodies: <Body extends object>(path: string) =>
      requests.filter((request) => request.path === path).map(({ body }) => body as Body),
    on: (path, answer) => void answers.set(path, answer),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** One tool of a Skill `desk`, as the registry gives it. */
export function toolOf(over: Partial<Toolset['tools'][number]>): Toolset['tools'][number] {
  const name = over.name ?? 'tool';
  return {
    id: `tol_${name}`,
    source: 'mcp',
    name,
    description: `Does ${name}.`,
    input_schema: { type: 'object', properties: {} },
    grade: 'read',
    idempotent: false,
    trust: 'untrusted',
    open_world: true,
    skill_id: 'skl_desk',
    skill_slug: 'desk',
    model_name: `desk__${name}`,
    credential_bindings: [],
    pin: 'pin_1',
    ...over,
  };
}

export function toolsetOf(tools: Toolset['tools']): Toolset {
  return {
    skills: [{ id: 'skl_desk', slug: 'desk', name: 'Desk', knowledge: 'Tea is served at four.', version: 1 }],
    tools,
    problems: [],
    left_out: [],
  };
}
