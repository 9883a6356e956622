import type { NormalizedMessage } from '#libs/contracts';
import type { JsonObject } from '#libs/adapter-sdk';
import { createDiscordAdapter } from '../../apps/adapters/src/discord/discord.adapter.js';
import { createGmailAdapter } from '../../apps/adapters/src/gmail/gmail.adapter.js';
import { createSlackAdapter } from '../../apps/adapters/src/slack/slack.adapter.js';
import { createTeamsAdapter } from '../../apps/adapters/src/teams/teams.adapter.js';
import { createTelegramAdapter } from '../../apps/adapters/src/telegram/telegram.adapter.js';
import { type AdapterHost, hostAdapter } from '../../apps/adapters/src/testing/adapter-host.js';
import { createWhatsappAdapter } from '../../apps/adapters/src/whatsapp/whatsapp.adapter.js';
import { sampleAudio } from '../../apps/engine/src/path/transcripts/audio-file.js';
import { type EngineWorld, engineWorld, turnOf } from '../../apps/engine/src/testing/engine-world.js';
import { fakeProvider, type FakeProvider } from '../../apps/engine/src/testing/fake-provider.js';
import { agentOf, turnsOf } from '../../apps/engine/src/testing/turns-of.js';
import { type BinaryServer, binaryServer } from './binary-server.js';

interface Channel {
  name: string;
  credentials: JsonObject;
  adapter: (
    http: Parameters<Parameters<typeof hostAdapter>[0]>[0],
    url: string,
  ) => ReturnType<typeof createSlackAdapter>;
  /** What the provider sends for a voice note, whose bytes are at `/voice` of its server. */
  inbound: (url: string) => { headers?: JsonObject; body: object };
  /** What its API answers on the way to the bytes. */
  api?: (path: string, url: string) => object | undefined;
}

const audioType = 'audio/ogg; codecs=opus';
const base64 = (text: string): string => Buffer.from(text).toString('base64url');

const channels: Channel[] = [
  {
    name: 'a voice message of Telegram',
    credentials: { token: '1:bot' },
    adapter: (http, url) => createTelegramAdapter({ ...http, apiUrl: url }),
    inbound: () => ({
      body: {
        update_id: 1,
        message: {
          message_id: 5,
          date: 1_700_000_000,
          chat: { id: 7, type: 'private' },
          from: { id: 7, is_bot: false, first_name: 'Ada' },
          voice: { file_id: 'AwAC', file_unique_id: 'u1', duration: 1, mime_type: 'audio/ogg', file_size: 9 },
        },
      },
    }),
    api: (path) =>
      path.endsWith('/getFile') ? { ok: true, result: { file_id: 'AwAC', file_path: 'voice' } } : undefined,
  },
  {
    name: 'a voice message of WhatsApp',
    credentials: { token: 'token', phone_number_id: '100', app_secret: 'secret', verify_token: 'v' },
    adapter: (http, url) => createWhatsappAdapter({ ...http, apiUrl: url }),
    inbound: () => ({
      body: {
        object: 'whatsapp_business_account',
        entry: [
          {
            id: '1',
            changes: [
              {
                field: 'messages',
                value: {
                  messaging_product: 'whatsapp',
                  metadata: { display_phone_number: '1', phone_number_id: '100' },
                  contacts: [{ profile: { name: 'Ada' }, wa_id: '49170' }],
                  messages: [
                    {
                      from: '49170',
                      id: 'wamid.1',
                      timestamp: '1700000000',
                      type: 'audio',
                      audio: { id: '2754', mime_type: audioType, sha256: 'x', voice: true },
                    },
                  ],
                },
              },
            ],
          },
        ],
      },
    }),
    api: (path, url) => (path.endsWith('/2754') ? { url: `${url}/voice`, mime_type: audioType } : undefined),
  },
  {
    name: 'an audio clip of Slack',
    credentials: { token: 'xoxb-1' },
    adapter: (http, url) => createSlackAdapter({ ...http, apiUrl: url, filesUrl: url }),
    inbound: (url) => ({
      body: {
        type: 'event_callback',
        team_id: 'T1',
        api_app_id: 'A1',
        event_id: 'Ev1',
        event: {
          type: 'message',
          subtype: 'file_share',
          channel: 'D1',
          channel_type: 'im',
          user: 'U1',
          text: '',
          ts: '1700000000.000100',
          files: [
            {
              id: 'F1',
              name: 'audio_message.m4a',
              mimetype: 'audio/mp4',
              subtype: 'slack_audio',
              url_private: `${url}/voice`,
              url_private_download: `${url}/voice`,
              size: 9,
            },
          ],
        },
      },
    }),
    api: () => ({ ok: true, user: { id: 'U1', name: 'ada' } }),
  },
  {
    name: 'a recording of Teams',
    credentials: { app_id: 'bot', app_password: 'secret', tenant_id: 't1' },
    adapter: (http, url) => createTeamsAdapter({ ...http, loginUrl: url, serviceUrl: url, jwksUrl: `${url}/keys` }),
    inbound: (url) => ({
      body: {
        type: 'message',
        id: '1700000000001',
        channelId: 'msteams',
        timestamp: '2026-01-01T00:00:00Z',
        serviceUrl: 'https://smba.trafficmanager.net/emea/',
        from: { id: '29:ada', name: 'Ada' },
        recipient: { id: '28:bot', name: 'Bot' },
        conversation: { id: 'a:1', conversationType: 'personal', tenantId: 't1' },
        text: '',
        attachments: [{ contentType: 'audio/mp4', name: 'recording', contentUrl: `${url}/voice` }],
      },
    }),
    api: (path) => (path.endsWith('/token') ? { access_token: 'bot-token', expires_in: 3_600 } : undefined),
  },
  {
    name: 'a sound file of Teams, whose type only its name says',
    credentials: { app_id: 'bot', app_password: 'secret', tenant_id: 't1' },
    adapter: (http, url) => createTeamsAdapter({ ...http, loginUrl: url, serviceUrl: url, jwksUrl: `${url}/keys` }),
    inbound: (url) => ({
      body: {
        type: 'message',
        id: '1700000000002',
        channelId: 'msteams',
        timestamp: '2026-01-01T00:00:00Z',
        serviceUrl: 'https://smba.trafficmanager.net/emea/',
        from: { id: '29:ada', name: 'Ada' },
        recipient: { id: '28:bot', name: 'Bot' },
        conversation: { id: 'a:1', conversationType: 'personal', tenantId: 't1' },
        text: '',
        attachments: [
          {
            contentType: 'application/vnd.microsoft.teams.file.download.info',
            name: 'memo.m4a',
            content: { uniqueId: 'F1', fileType: 'm4a', downloadUrl: `${url}/voice` },
          },
        ],
      },
    }),
    api: (path) => (path.endsWith('/token') ? { access_token: 'bot-token', expires_in: 3_600 } : undefined),
  },
  {
    name: 'a voice message of Discord',
    credentials: { token: 'bot-token', application_id: '1', public_key: 'k' },
    adapter: (http, url) => createDiscordAdapter({ ...http, apiUrl: url, filesUrl: url }),
    inbound: (url) => ({
      headers: { 'x-gatehouse-socket': 'discord' },
      body: {
        op: 0,
        t: 'MESSAGE_CREATE',
        s: 2,
        d: {
          id: '11',
          channel_id: '7',
          type: 0,
          flags: 8_192,
          content: '',
          timestamp: '2026-01-01T00:00:00Z',
          author: { id: '42', username: 'ada', bot: false },
          attachments: [
            { id: 'a1', filename: 'voice-message.ogg', content_type: 'audio/ogg', size: 9, url: `${url}/voice` },
          ],
        },
      },
    }),
  },
  {
    name: 'an attachment of a mail',
    credentials: { access_token: 'token' },
    adapter: (http, url) => createGmailAdapter({ ...http, apiUrl: url }),
    inbound: () => ({
      body: {
        id: '18f',
        threadId: '18a',
        labelIds: ['INBOX'],
        internalDate: '1700000000000',
        payload: {
          mimeType: 'multipart/mixed',
          filename: '',
          headers: [
            { name: 'From', value: 'Ada <ada@example.org>' },
            { name: 'To', value: 'agent@example.org' },
            { name: 'Subject', value: 'A memo' },
            { name: 'Message-Id', value: '<m1@example.org>' },
          ],
          parts: [
            { mimeType: 'text/plain', filename: '', headers: [], body: { data: base64('Listen.') } },
            {
              partId: '1',
              mimeType: 'audio/x-m4a',
              filename: 'memo.m4a',
              headers: [],
              body: { attachmentId: 'att1', size: 9 },
            },
          ],
        },
      },
    }),
    api: (path) =>
      path.includes('/attachments/att1') ? { size: 9, data: sampleAudio().toString('base64url') } : undefined,
  },
];

describe('a voice note that comes by a channel', () => {
  let world: EngineWorld;
  let ears: FakeProvider;
  let files: BinaryServer;
  let adapter: AdapterHost | undefined;
  let agent: string;

  beforeAll(async () => {
    [world, ears, files] = await Promise.all([engineWorld(), fakeProvider(), binaryServer()]);
    await world.start({ GATEWAY_URL: world.services.url });
    world.services.on('/internal/bindings/provider/', () => ({ unknown: [] }));
    agent = await agentOf(world, {});
    const body = { name: 'ears', kind: 'openai-compatible', base_url: ears.url, transcription_model: 'whisper' };
    expect((await world.call('POST', 'providers', body)).status).toBe(201);
    ears.answer(() => ({ json: { text: 'Send me the invoice of May.' } }));
  });
  beforeEach(async () => {
    await world.pool.query('DELETE FROM engine.transcript');
    ears.requests.length = 0;
  });
  afterEach(() => adapter?.close());
  afterAll(async () => {
    await world.close();
    await Promise.all([ears.close(), files.close()]);
  });

  it.each(channels)(
    'is fetched by the adapter and heard: $name',
    async ({ credentials, adapter: create, inbound, api }) => {
      files.answer = (path) => (path.includes('/voice') ? sampleAudio() : api?.(path, files.url));
      const host = await hostAdapter((http) => create(http, files.url));
      adapter = host;
      const { headers = {}, body } = inbound(files.url);
      const request = {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      };
      const parsed = await host.call('parse-inbound', { credentials: {}, request, self: {} });
      const message = ((parsed.messages as JsonObject[] | undefined)?.[0] ?? parsed) as unknown as NormalizedMessage;
      expect(message.metadata?.attachments).toHaveLength(1);
      world.services.on('/internal/adapter-calls/fetch-file', async ({ body: { file_path } }) => {
        const answer = await fetch(`${host.url}/sources/fetch-file`, {
          method: 'POST',
          body: JSON.stringify({ credentials, resource_path: '', file_path }),
        });
        const type = answer.headers.get('content-type') ?? '';
        if (type.startsWith('application/json')) return (await answer.json()) as object;
        return { content_base64: Buffer.from(await answer.arrayBuffer()).toString('base64'), content_type: type };
      });
      world.model.script('Here it is.');
      const turn = turnOf({ agent_id: agent }, { message });
      expect(await turnsOf(world).run(turn)).toMatchObject({ state: 'succeeded' });
      expect(ears.requests.map(({ path }) => path)).toEqual(['/audio/transcriptions']);
      const [sent] = ears.requests;
      const contentType = sent?.headers['content-type'] ?? '';
      const form = await new Response(new Uint8Array(sent?.bytes ?? []), {
        headers: { 'content-type': contentType },
      }).formData();
      expect(form.get('model')).toBe('whisper');
      expect(Buffer.from(await (form.get('file') as File).arrayBuffer())).toEqual(sampleAudio());
      expect(JSON.stringify(world.model.requests.at(-1))).toContain('Send me the invoice of May.');
    },
  );
});
