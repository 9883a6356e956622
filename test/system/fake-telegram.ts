import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The Bot API with one bot and one person who writes to it, as far as asking for updates needs it. */
export interface FakeTelegram {
  url: string;
  token: string;
  /** Whether a webhook is set: no update is given while one is. */
  webhook: boolean;
  /** What the bot has sent. */
  sent: { chat_id: string; text: string }[];
  /** The person writes to the bot. */
  write(text: string): void;
  close(): Promise<void>;
}

const token = '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw';

/** It keeps updates until it is asked for later ones, ends an older question when a newer one comes, and waits. */
export async function startFakeTelegram(): Promise<FakeTelegram> {
  let updates: { update_id: number; message: object }[] = [];
  let written = 0;
  let waiting: ((status: number) => void) | null = null;
  const server = createServer((request, response) => {
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const asked = async (): Promise<void> => {
      const [, given, method] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url ?? '') ?? [];
      if (given !== token) return answer(401, { ok: false, error_code: 401, description: 'Unauthorized' });
      const fields = await fieldsOf(request);
      if (method === 'getMe')
        return answer(200, {
          ok: true,
          result: { id: 110201543, is_bot: true, first_name: 'Desk', username: 'desk_bot' },
        });
      if (method === 'deleteWebhook') telegram.webhook = false;
      if (method === 'sendMessage') {
        telegram.sent.push({ chat_id: String(fields.chat_id), text: String(fields.text) });
        return answer(200, {
          ok: true,
          result: { message_id: 1_000 + telegram.sent.length, chat: { id: fields.chat_id } },
        });
      }
      if (method !== 'getUpdates') return answer(200, { ok: true, result: true });
      const conflict = { ok: false, error_code: 409, description: 'Conflict: terminated by other getUpdates request' };
      waiting?.(409);
      if (telegram.webhook) return answer(409, conflict);
      const from = Number(fields.offset ?? 0);
      updates = updates.filter(({ update_id: id }) => id >= from);
      if (updates.length === 0) {
        const status = await new Promise<number>((resolve) => {
          waiting = resolve;
          setTimeout(() => resolve(200), Number(fields.timeout ?? 0) * 1_000).unref();
        });
        if (status === 409) return answer(409, conflict);
      }
      return answer(200, { ok: true, result: updates.slice(0, 5) });
    };
    void asked();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const telegram: FakeTelegram = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    webhook: true,
    sent: [],
    write: (text) => {
      written += 1;
      const from = { id: 7, is_bot: false, first_name: 'Ada' };
      const chat = { id: 7, type: 'private', first_name: 'Ada' };
      updates.push({ update_id: written, message: { message_id: written, date: 1_700_000_000, from, chat, text } });
      waiting?.(200);
      waiting = null;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return telegram;
}

async function fieldsOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = '';
  for await (const piece of request.setEncoding('utf8')) text += String(piece);
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}
