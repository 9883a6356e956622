import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { jsonPointerGet } from '../json-pointer.js';
import { parseJson } from '../json-value.js';
import type { Fault, ProviderAnswer, ProviderRoute } from './fixtures.js';
import type { FakeProvider } from './fake-provider.js';

/** How many seconds the default answer of `rate_limited` asks to wait. */
export const RETRY_AFTER_SECONDS = 7;

const FAULT_ANSWERS: Record<Fault, ProviderAnswer | 'silence'> = {
  unauthorized: { status: 401, body: { error: 'unauthorized' } },
  forbidden: { status: 403, body: { error: 'forbidden' } },
  not_found: { status: 404, body: { error: 'not_found' } },
  rate_limited: {
    status: 429,
    headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
    body: { error: 'rate_limited' },
  },
  unavailable: { status: 503, body: { error: 'unavailable' } },
  timeout: 'silence',
};

/** A provider that answers by the first matching route; unmatched requests get 404. Listens on 127.0.0.1. */
export async function startFakeProvider(script: {
  routes: readonly ProviderRoute[];
  faults: Partial<Record<Fault, ProviderAnswer>>;
  /** 0 for any free port. */
  port: number;
}): Promise<FakeProvider> {
  let texts: string[] = [];
  let state = 0;
  let fault: { name: Fault; on: 'send' | 'verify'; left: number } | undefined;
  let requests = 0;

  const server = createServer((request, response) => {
    readText(request).then(
      (body) => respond(request, body, response),
      () => response.destroy(),
    );
  });

  function respond(request: IncomingMessage, body: string, response: ServerResponse): void {
    const route = script.routes.find((candidate) => fits(candidate, request, state));
    const fields = requestFields(request, body);
    const reply = (given: ProviderAnswer | 'silence'): void => {
      if (given !== 'silence') answer(response, given, { fields, n: requests, url: provider.url });
    };
    if (!route) return reply({ status: 404, body: { error: 'no such route in the fixtures' } });
    if (fault && fault.on === route.does && fault.left-- <= 0) {
      return reply(script.faults[fault.name] ?? FAULT_ANSWERS[fault.name]);
    }
    requests++;
    if (route.does === 'send') texts.push(textOf(route, body, fields));
    return reply(route);
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(script.port, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const provider: FakeProvider = {
    url: `http://127.0.0.1:${port}`,
    texts: () => texts,
    reset: () => {
      texts = [];
      fault = undefined;
      state = 0;
    },
    fail: (name, on, after = 0) => {
      fault = { name, on, left: after };
    },
    enter: (entered) => {
      state = entered;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return provider;
}

function fits(route: ProviderRoute, request: IncomingMessage, state: number): boolean {
  const path = (request.url ?? '').split('?', 1)[0] ?? '';
  if ((route.method ?? 'POST') !== request.method) return false;
  if (route.state !== undefined && route.state !== state) return false;
  if (route.path.endsWith('*') ? !path.startsWith(route.path.slice(0, -1)) : path !== route.path) return false;
  return Object.entries(route.headers_include ?? {}).every(([name, text]) =>
    String(request.headers[name.toLowerCase()] ?? '').includes(text),
  );
}

/** The request's JSON, or its form fields as an object; undefined when it is neither. */
function requestFields(request: IncomingMessage, body: string): unknown {
  const isForm = String(request.headers['content-type']).includes('x-www-form-urlencoded');
  return isForm ? Object.fromEntries(new URLSearchParams(body)) : parseJson(body);
}

function textOf({ text = '/text', mark }: ProviderRoute, body: string, fields: unknown): string {
  const value = text === 'raw' ? body : jsonPointerGet(fields, text);
  if (typeof value !== 'string') return '';
  return mark === undefined ? value : value.replace(new RegExp(mark), '');
}

function answer(
  response: ServerResponse,
  { status = 200, headers, body }: ProviderAnswer,
  request: { fields: unknown; n: number; url: string },
): void {
  const asJson = typeof body !== 'string';
  const text = (asJson ? JSON.stringify(body ?? {}) : body)
    .replaceAll('{{provider}}', request.url)
    .replaceAll(/\{\{(n|\/[^{}]*)\}\}/g, (_whole, what: string) => {
      const value = what === 'n' ? request.n : jsonPointerGet(request.fields, what);
      return typeof value === 'string' ? JSON.stringify(value).slice(1, -1) : JSON.stringify(value ?? null);
    });
  response.writeHead(status, { 'content-type': asJson ? 'application/json' : 'text/plain', ...headers });
  response.end(text);
}
