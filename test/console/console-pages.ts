import { createServer, type Server } from 'node:http';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

export interface ConsolePages {
  origin: string;
  close(): Promise<void>;
}

/** The built pages under the policy that they have to live with, and answers of the API that a test chooses, by path. */
export async function openConsolePages(answers: Readonly<Record<string, object>>): Promise<ConsolePages> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const answer = answers[pathname];
    if (answer || pathname.startsWith('/api/')) {
      const problem = { status: 401, code: 'not_signed_in', title: 'Not signed in', detail: 'Sign in.' };
      response.writeHead(answer ? 200 : 401, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer ?? problem));
      return;
    }
    const file = extname(pathname) ? pathname : '/index.html';
    readFile(join('dist/console', file)).then(
      (content) =>
        response
          .writeHead(200, { 'content-type': types[extname(file)], 'content-security-policy': policy })
          .end(content),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${portOf(server)}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function portOf(server: Server): number {
  const address = server.address() as AddressInfo;
  return address.port;
}
