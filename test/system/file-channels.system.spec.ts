import { deliverySend } from '#libs/contracts';
import type { JsonObject } from '#libs/adapter-sdk';
import { until } from '#libs/testing';
import { createGmailAdapter } from '../../apps/adapters/src/gmail/gmail.adapter.js';
import { createSlackAdapter } from '../../apps/adapters/src/slack/slack.adapter.js';
import { createTelegramAdapter } from '../../apps/adapters/src/telegram/telegram.adapter.js';
import { type AdapterHost, hostAdapter } from '../../apps/adapters/src/testing/adapter-host.js';
import {
  type ProviderServer,
  type SeenRequest,
  startProviderServer,
} from '../../apps/adapters/src/testing/provider-server.js';
import { type EngineWorld, engineWorld, turnOf } from '../../apps/engine/src/testing/engine-world.js';
import { agentOf, turnsOf } from '../../apps/engine/src/testing/turns-of.js';

interface Channel {
  name: string;
  credentials: JsonObject;
  address: string;
  adapter: (
    http: Parameters<Parameters<typeof hostAdapter>[0]>[0],
    url: string,
  ) => ReturnType<typeof createSlackAdapter>;
  /** What its API answers. */
  api: (path: string, url: string) => object;
  /** The file as the provider got it; undefined for a request that is about something else. */
  fileIn: (request: SeenRequest) => Promise<{ name: string; text: string }> | undefined;
}

/** The file of a form. */
async function ofForm({ text, headers }: SeenRequest, field: string): Promise<{ name: string; text: string }> {
  const form = await new Response(text, { headers: { 'content-type': headers['content-type'] ?? '' } }).formData();
  const file = form.get(field) as File;
  return { name: file.name, text: await file.text() };
}

/** The attachment of a mail in MIME. */
function ofMail(raw: string): { name: string; text: string } {
  const mail = Buffer.from(raw, 'base64url').toString();
  const [, part = ''] = /(Content-Disposition: attachment[\s\S]*?)\r\n--/i.exec(mail) ?? [];
  const [, name = ''] = /filename="?([\w.]+)/.exec(mail) ?? [];
  const [, content = ''] = /\r\n\r\n([\s\S]*)/.exec(part) ?? [];
  return { name, text: Buffer.from(content, 'base64').toString() };
}

const channels: Channel[] = [
  {
    name: 'Slack',
    credentials: { token: 'xoxb-1' },
    address: 'C1',
    adapter: (http, url) => createSlackAdapter({ ...http, apiUrl: url, filesUrl: url }),
    api: (path, url) =>
      path.includes('getUploadURLExternal')
        ? { ok: true, upload_url: `${url}/upload/1`, file_id: 'F1' }
        : { ok: true, ts: '1700000000.000100', channel: 'C1', files: [{ id: 'F1' }] },
    fileIn: (request) => (request.url === '/upload/1' ? ofForm(request, 'file') : undefined),
  },
  {
    name: 'Telegram',
    credentials: { token: '1:bot' },
    address: '55',
    adapter: (http, url) => createTelegramAdapter({ ...http, apiUrl: url }),
    api: () => ({ ok: true, result: { message_id: 1, chat: { id: 55 } } }),
    fileIn: (request) => (request.url.endsWith('/sendDocument') ? ofForm(request, 'document') : undefined),
  },
  {
    name: 'mail',
    credentials: { access_token: 'token' },
    address: 'jane@example.org',
    adapter: (http, url) => createGmailAdapter({ ...http, apiUrl: url }),
    api: (path) =>
      path.includes('/profile')
        ? { emailAddress: 'agent@example.org', historyId: '1' }
        : { id: '18f', threadId: '18a' },
    fileIn: ({ url, fields }) =>
      url.includes('messages/send') ? Promise.resolve(ofMail(String(fields.raw))) : undefined,
  },
];

describe('a file that an agent sends by a channel', () => {
  let world: EngineWorld;
  let provider: ProviderServer;
  let adapter: AdapterHost | undefined;
  let agent: string;

  beforeAll(async () => {
    [world, provider] = await Promise.all([engineWorld(), startProviderServer()]);
    await world.start({ GATEWAY_URL: world.services.url });
    agent = await agentOf(world, { tools: ['send_file'] });
  });
  beforeEach(() => {
    provider.seen.length = 0;
  });
  afterEach(() => adapter?.close());
  afterAll(async () => {
    await world.close();
    await provider.close();
  });

  it.each(channels)('arrives with its name and its bytes: $name', async (channel) => {
    provider.answer = ({ url }) => ({ body: channel.api(url, provider.url) });
    const host = await hostAdapter((http) => channel.adapter(http, provider.url));
    adapter = host;
    const report = { name: 'send_file', arguments: '{"name":"report.csv","text":"day;sum\\n1;2"}' };
    world.model.script([report], 'Here it is.');
    const target = { app_id: 'app_1', channel_address: channel.address, thread_id: null, reply_context: null };
    const turn = turnOf({ agent_id: agent }, { reply: { ...target, files: true } });
    expect(await turnsOf(world).run(turn)).toMatchObject({ state: 'succeeded' });
    const { content, delivery_id } = await until('the answer is offered', async () =>
      (await world.waiting(deliverySend)).find(({ turn_id }) => turn_id === turn.turn_id),
    );
    const path = `turns/${turn.turn_id}/replies/${delivery_id}/files` as const;
    const { files } = (await world.internal('GET', path)).body;
    const heads = content?.attachments ?? [];
    expect(heads.map(({ name }) => name)).toEqual(['report.csv']);

    // As the gateway gives it to the adapter, once it has fetched the bytes.
    const attachments = heads.map(({ name, content_type, size }, at) => ({
      name,
      content_type,
      size,
      content_base64: files[at],
    }));
    const sent = await host.call('deliver', {
      credentials: channel.credentials,
      channel_address: channel.address,
      message: { text: content?.text ?? '', format: 'plain', attachments },
      idempotency_key: delivery_id,
    });
    expect(sent).toMatchObject({ ok: true });
    const arrived = await Promise.all(provider.seen.flatMap((request) => channel.fileIn(request) ?? []));
    expect(arrived).toEqual([{ name: 'report.csv', text: 'day;sum\n1;2' }]);
  });
});
