import { generateKeyPairSync, sign } from 'node:crypto';
import { verifyKey } from 'discord-interactions';
import type { JsonObject } from '#libs/adapter-sdk';
import { type AdapterHost, hostAdapter } from '../testing/adapter-host.js';
import { type ProviderServer, startProviderServer } from '../testing/provider-server.js';
import { createDiscordAdapter } from './discord.adapter.js';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const public_key = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('hex');
const application = '845027738276462632';
const channel = '645027906669510667';
const credentials = { token: 'bot-token', application_id: application, public_key };

let discord: ProviderServer;
let adapter: AdapterHost;
/** Whether the message that says that the app thinks is still there. */
let thinking: boolean;
let gone: boolean;

beforeAll(async () => {
  discord = await startProviderServer(({ method, url }) => {
    if (url.startsWith('/webhooks/') && gone) return { status: 404, body: { code: 10015, message: 'Unknown Webhook' } };
    if (method === 'GET') return { body: { id: '1000001', flags: thinking ? 128 : 0 } };
    if (method === 'PATCH') thinking = false;
    return { body: { id: `10000${discord.seen.length}` } };
  });
  adapter = await hostAdapter((http) => createDiscordAdapter({ ...http, apiUrl: discord.url, filesUrl: discord.url }));
});
afterAll(async () => {
  await adapter.close();
  await discord.close();
});
beforeEach(() => {
  discord.seen.length = 0;
  [thinking, gone] = [true, false];
});

/** An id of Discord, of a moment. */
const idAt = (ms: number): string => String(BigInt(ms - 1_420_070_400_000) << 22n);
const contextAt = (ms: number) => ({ interaction_id: idAt(ms), application_id: application, token: 'aW50' });
const deliver = (message: object): Promise<JsonObject> =>
  adapter.call('deliver', { credentials, channel_address: channel, message, idempotency_key: 'key' });
const calls = (): string[] => discord.seen.map(({ method, url }) => `${method} ${url}`);

describe('an interaction', () => {
  it('is accepted where the library of Discord accepts it, and refused where it refuses it', async () => {
    const body = JSON.stringify({ type: 2, id: idAt(Date.now()), data: { name: 'ask' } });
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = sign(null, Buffer.from(timestamp + body), privateKey).toString('hex');
    const cases = [
      [body, signature, timestamp],
      [body.replace('ask', 'act'), signature, timestamp],
      [body, signature, String(Number(timestamp) - 1)],
      [body, `00${signature.slice(2)}`, timestamp],
    ] as const;
    const verdicts = await Promise.all(
      cases.map(async ([text, of, at]) => {
        const headers = { 'x-signature-ed25519': of, 'x-signature-timestamp': at };
        const ours = await adapter.call('verify-webhook', { credentials, request: { headers, body: text } });
        return [ours.ok, await verifyKey(text, of, at, public_key)];
      }),
    );
    expect(verdicts).toEqual([
      [true, true],
      [false, false],
      [false, false],
      [false, false],
    ]);
  });

  it('is answered in the place of the message that thinks, and by further messages after it', async () => {
    const reply_context = contextAt(Date.now() - 60_000);
    const text = 'word '.repeat(600).trim();
    expect(await deliver({ text, reply_context })).toMatchObject({ ok: true, message_id: expect.any(String) });
    const base = `/webhooks/${application}/aW50`;
    expect(calls()).toEqual([
      `GET ${base}/messages/@original`,
      `PATCH ${base}/messages/@original`,
      `POST ${base}?wait=true`,
    ]);
    expect(discord.seen.some(({ headers }) => headers.authorization !== undefined)).toBe(false);
    discord.seen.length = 0;
    await deliver({ text: 'And one thing more.', reply_context });
    expect(calls()).toEqual([`GET ${base}/messages/@original`, `POST ${base}?wait=true`]);
  });

  it('is answered in its channel when Discord takes no answer to it any more', async () => {
    await deliver({ text: 'Late.', reply_context: contextAt(Date.now() - 15 * 60_000) });
    expect(calls()).toEqual([`POST /channels/${channel}/messages`]);
    expect(discord.seen[0]?.headers.authorization).toBe('Bot bot-token');
    discord.seen.length = 0;
    gone = true;
    expect(await deliver({ text: 'Gone.', reply_context: contextAt(Date.now()) })).toMatchObject({ ok: true });
    expect(calls().at(-1)).toBe(`POST /channels/${channel}/messages`);
  });
});

describe('a message to Discord', () => {
  it('calls nobody, shows no preview, and is sent once by its nonce', async () => {
    await deliver({ text: 'Ask @everyone <@80351110224678912>, see https://example.com' });
    await deliver({ text: 'Ask @everyone <@80351110224678912>, see https://example.com' });
    const [first, second] = discord.seen.map(({ fields }) => fields);
    expect(first).toMatchObject({ allowed_mentions: { parse: [] }, flags: 4, enforce_nonce: true });
    expect([first?.nonce, String(first?.nonce).length]).toEqual([second?.nonce, 25]);
  });

  it('stands in a server below the message that it answers', async () => {
    await deliver({ text: 'word '.repeat(600).trim(), reply_context: { message_id: '867793854505943041' } });
    expect(discord.seen.map(({ fields }) => fields.message_reference)).toEqual([
      { message_id: '867793854505943041', fail_if_not_exists: false },
      undefined,
    ]);
  });

  it('offers choices, changes a message and takes them away, reacts, types, and has files', async () => {
    const actions = [
      { id: 'yes', label: 'Approve', style: 'primary', value: 'sealed' },
      { id: 'no', label: 'Deny', style: 'danger', value: 'sealed' },
    ];
    await deliver({ text: 'Deploy?', actions });
    expect(discord.seen[0]?.fields.components).toEqual([
      {
        type: 1,
        components: [
          { type: 2, style: 1, label: 'Approve', custom_id: 'yes:sealed' },
          { type: 2, style: 4, label: 'Deny', custom_id: 'no:sealed' },
        ],
      },
    ]);
    discord.seen.length = 0;
    await deliver({ text: 'Approved.', edit_of: '867793854505943041' });
    await deliver({ text: '', reaction_to: '867793854505943041', reaction: '👍' });
    await deliver({ text: '', attachments: [{ name: 'a.csv', content_type: 'text/csv', content_base64: 'YTti' }] });
    await adapter.call('indicate', { credentials, channel_address: channel, state: 'working' });
    expect(calls()).toEqual([
      `PATCH /channels/${channel}/messages/867793854505943041`,
      `PUT /channels/${channel}/messages/867793854505943041/reactions/%F0%9F%91%8D/@me`,
      `POST /channels/${channel}/messages`,
      `POST /channels/${channel}/typing`,
    ]);
    expect(discord.seen[0]?.fields).toMatchObject({ content: 'Approved.', components: [] });
    expect(discord.seen[2]?.text).toContain('filename="a.csv"');
  });
});

describe('a file of a message', () => {
  const fetchFile = (file_path: string): Promise<Response> => {
    const body = JSON.stringify({ credentials, resource_path: '', file_path });
    return fetch(`${adapter.url}/sources/fetch-file`, { method: 'POST', body });
  };

  it('is fetched from the file server of Discord only, without the token', async () => {
    discord.answer = () => ({ headers: { 'content-type': 'text/csv' }, body: 'x;y' });
    const answer = await fetchFile(`${discord.url}/attachments/1/2/a.csv?ex=1`);
    expect([answer.headers.get('content-type'), await answer.text()]).toEqual(['text/csv', 'x;y']);
    expect(discord.seen.map(({ headers }) => headers.authorization)).toEqual([undefined]);
    const elsewhere = await fetchFile('https://cdn.discordapp.com.evil.example/a.csv');
    expect(await elsewhere.json()).toMatchObject({ error: 'not_found' });
  });

  it.each([
    ['not_found', { status: 403 }],
    ['rate_limited', { status: 429 }],
    ['provider_unavailable', { status: 503 }],
    ['too_large', { body: 'x'.repeat(21 * 1024 * 1024) }],
  ])('that cannot be fetched is %s', async (error, reply) => {
    discord.answer = () => reply;
    expect(await (await fetchFile(`${discord.url}/a.csv`)).json()).toMatchObject({ ok: false, error });
  });
});

describe('the credentials', () => {
  it('are checked against the app that the token is of', async () => {
    const answered = { id: application, verify_key: public_key, bot: { id: application, username: 'agent' } };
    discord.answer = () => ({ body: answered });
    expect(await adapter.call('verify', { credentials })).toEqual({
      ok: true,
      user: 'agent',
      account: { id: application, name: 'agent', username: 'agent', account: application },
    });
    expect(await adapter.call('verify', { credentials: { token: 'bot-token', hears: 'mentions' } })).not.toHaveProperty(
      'warnings',
    );
    discord.answer = () => ({ body: { ...answered, verify_key: 'f'.repeat(64) } });
    expect(await adapter.call('verify', { credentials })).toMatchObject({
      warnings: ['public_key is not the one of this app: every incoming webhook is refused'],
    });
  });
});
