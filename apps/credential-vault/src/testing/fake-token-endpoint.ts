import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { VaultWorld } from './vault-world.js';

/** One answer of a provider; `drop` ends the connection without one. */
export type TokenAnswerOf = { status?: number; body: unknown; headers?: Record<string, string> } | 'drop';

type Give = (form: Record<string, string>) => TokenAnswerOf | Promise<TokenAnswerOf>;

/** A provider's token endpoint, over HTTP, that answers whatever a test says. */
export interface FakeTokenEndpoint {
  url: string;
  /** The `oauth_config` that names it. */
  config: { authorization_url: string; token_url: string; token_auth_method: 'client_secret_post' };
  /** The forms of all requests. */
  requests: Record<string, string>[];
  answer(give: Give): void;
  close(): Promise<void>;
}

export async function fakeTokenEndpoint(): Promise<FakeTokenEndpoint> {
  let give: Give = () => ({ status: 500, body: {} });
  const requests: Record<string, string>[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
      requests.push(form);
      void Promise.resolve(give(form)).then((answer) => {
        if (answer === 'drop') return void request.socket.destroy();
        const { status = 200, body, headers } = answer;
        const text = typeof body === 'string' ? body : JSON.stringify(body);
        response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    config: {
      authorization_url: `${url}/authorize`,
      token_url: `${url}/token`,
      token_auth_method: 'client_secret_post',
    },
    requests,
    answer: (next) => {
      give = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A credential that gets its tokens from this endpoint. @returns its id */
export async function oauthCredential(
  vault: VaultWorld,
  name: string,
  config: object,
  { grant = 'client_credentials', fields = {} }: { grant?: string; fields?: Record<string, string> } = {},
): Promise<string> {
  const made = await vault.call('POST', 'credentials', {
    name,
    type: 'oauth2',
    grant,
    fields: { client_id: 'gatehouse', client_secret: 'a-client-secret', ...fields },
  });
  if (made.status !== 201) throw new Error(made.text);
  const { id } = made.body;
  const configured = await vault.call('PUT', `credentials/${id}/oauth`, { config });
  if (configured.status !== 200) throw new Error(configured.text);
  return id;
}
