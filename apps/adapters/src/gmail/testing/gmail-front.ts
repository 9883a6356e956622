import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createEmulator } from 'emulate';
import { isJsonObject, type JsonObject } from '#libs/adapter-sdk';

export const MAILBOX = 'agent@example.com';
export const TOKEN = 'canary-2f19c3-token';

export interface GmailFront {
  url: string;
  /** Answers a request instead of the emulator, unless it returns false. In effect until it is set again. */
  intercept(answer: ((request: IncomingMessage, response: ServerResponse) => unknown) | undefined): void;
  /** Calls the emulated API as the mailbox's owner. */
  call(path: string, body?: JsonObject): Promise<JsonObject>;
  close(): Promise<void>;
}

/** The emulated Gmail, behind a server that can replay faults and adds `users.getProfile`, which the emulator lacks. */
export async function openGmailFront(): Promise<GmailFront> {
  const emulator = await createEmulator({
    service: 'google',
    port: 0,
    seed: {
      tokens: { [TOKEN]: { login: MAILBOX, scopes: [] } },
      google: { users: [{ email: MAILBOX, name: 'Agent' }] },
    },
  });
  const base = '/gmail/v1/users/me/';
  const call = async (path: string, body?: JsonObject): Promise<JsonObject> => {
    const answer = await fetch(emulator.url + base + path, {
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    const json: unknown = await answer.json();
    if (!answer.ok || !isJsonObject(json)) throw new Error(`${path}: ${answer.status} ${JSON.stringify(json)}`);
    return json;
  };

  let intercept: ((request: IncomingMessage, response: ServerResponse) => unknown) | undefined;
  const server = createServer((request, response) => {
    if (intercept && intercept(request, response) !== false) return;
    void forward(request, response);
  });
  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === `${base}profile`) {
      const { historyId } = await call('history?startHistoryId=1');
      response.end(JSON.stringify({ emailAddress: MAILBOX, messagesTotal: 1, threadsTotal: 1, historyId }));
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const answer = await fetch(emulator.url + (request.url ?? ''), {
      method: request.method ?? 'GET',
      headers: {
        authorization: request.headers.authorization ?? '',
        'content-type': request.headers['content-type'] ?? 'application/json',
      },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    intercept: (answer) => {
      intercept = answer;
    },
    call,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await emulator.close();
    },
  };
}
