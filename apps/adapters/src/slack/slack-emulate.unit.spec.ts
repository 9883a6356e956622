import { freePort } from '#libs/testing';
import { createEmulator, type Emulator } from 'emulate';
import { isJsonObject, signHmac, type JsonObject } from '#libs/adapter-sdk';
import { hostAdapter, type AdapterHost } from '../testing/adapter-host.js';
import { createSlackAdapter } from './slack.adapter.js';

const SECRET = 'emulated-signing-secret';
const credentials = { token: 'xoxb-agent', signing_secret: SECRET };

let slack: Emulator;
let adapter: AdapterHost;
let account: unknown;
let channel: string;

beforeAll(async () => {
  slack = await createEmulator({
    service: 'slack',
    port: await freePort(),
    seed: {
      slack: {
        team: { name: 'Work', domain: 'work' },
        users: [{ name: 'jane' }, { name: 'agent' }],
        channels: [{ name: 'builds' }],
        tokens: [
          { token: 'xoxb-agent', user: 'agent' },
          { token: 'xoxp-jane', user: 'jane' },
        ],
        signing_secret: SECRET,
      },
    },
  });
  adapter = await hostAdapter((http) =>
    createSlackAdapter({ ...http, apiUrl: `${slack.url}/api`, filesUrl: slack.url }),
  );
  const { channels } = await api('xoxp-jane', 'conversations.list', {});
  channel = String((channels as JsonObject[]).find(({ name }) => name === 'builds')?.id);
});
afterAll(async () => {
  await adapter.close();
  await slack.close();
});

async function api(token: string, method: string, fields: object): Promise<JsonObject> {
  const answer = await fetch(`${slack.url}/api/${method}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(fields),
  });
  return (await answer.json()) as JsonObject;
}

async function messages(method: string, fields: object): Promise<JsonObject[]> {
  const answer = await api('xoxp-jane', method, { channel, ...fields });
  return Array.isArray(answer.messages) ? answer.messages.filter(isJsonObject) : [];
}

/** The webhook of a message of the emulated workspace. */
async function received(message: JsonObject): Promise<JsonObject> {
  const body = JSON.stringify({ type: 'event_callback', team_id: 'T000000001', event: { ...message, channel } });
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = `v0=${signHmac(SECRET, `v0:${timestamp}:${body}`)}`;
  const headers = { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': signature };
  const envelope = { credentials, self: account, request: { headers, body } };
  expect(await adapter.call('verify-webhook', envelope)).toMatchObject({ ok: true });
  return adapter.call('parse-inbound', envelope);
}

describe('against an emulated Slack', () => {
  it('receives a message, answers in the thread, finds its answer and recognises it as its own', async () => {
    const verified = await adapter.call('verify', { credentials });
    expect(verified).toMatchObject({ ok: true, user: 'agent' });
    account = verified.account;

    const asked = await api('xoxp-jane', 'chat.postMessage', { channel, text: 'Is the build green?' });
    const heard = await received(asked.message as JsonObject);
    expect(heard).toMatchObject({ message: 'Is the build green?', is_bot: false, thread_id: asked.ts });

    const reply = {
      credentials,
      channel_address: channel,
      message: { text: 'It **is**.', thread_id: heard.thread_id },
      idempotency_key: 'one',
    };
    const sent = await adapter.call('deliver', reply);
    expect(sent).toMatchObject({ ok: true, thread_id: asked.ts });
    const inThread = await messages('conversations.replies', { ts: asked.ts });
    expect(inThread.map(({ text }) => text)).toEqual(['Is the build green?', 'It *is*.']);
    expect(await received(inThread.at(-1) ?? {})).toMatchObject({ is_bot: true, metadata: { is_self: true } });

    expect(await adapter.call('deliver/lookup', reply)).toEqual({ found: true, message_id: sent.message_id });
    const inItsThread = { ...reply, thread_id: asked.ts };
    expect(await adapter.call('deliver/lookup', inItsThread)).toEqual({ found: true, message_id: sent.message_id });
    expect(await adapter.call('deliver/lookup', { ...reply, idempotency_key: 'two' })).toEqual({ found: false });
  });

  it('sends ten times the limit whole and in order', async () => {
    const text = Array.from({ length: 6_000 }, (_, index) => `word${index}`)
      .join(' ')
      .slice(0, 39_000);
    const sent = await adapter.call('deliver', {
      credentials,
      channel_address: channel,
      message: { text },
      idempotency_key: 'long',
    });
    expect(sent).toMatchObject({ ok: true });
    const count = (sent.parts as unknown[]).length;
    const posted = (await messages('conversations.history', { limit: count })).reverse();
    expect(posted.map((message) => message.text).join(' ')).toBe(text);
    expect(posted.every((message) => String(message.text).length <= 3_900)).toBe(true);
    expect(
      await adapter.call('deliver/lookup', { credentials, channel_address: channel, idempotency_key: 'long' }),
    ).toEqual({
      found: true,
      message_id: posted.at(-1)?.ts,
    });
  });

  it('offers choices, takes them back by an edit, reacts, and shares a file', async () => {
    const actions = [
      { id: 'yes', label: 'Approve', style: 'primary', value: 'sealed-yes' },
      { id: 'no', label: 'Deny', style: 'danger', value: 'sealed-no' },
    ];
    const deliver = (message: object, key: string): Promise<JsonObject> =>
      adapter.call('deliver', { credentials, channel_address: channel, message, idempotency_key: key });
    const asked = await deliver({ text: 'Deploy **now**?', actions }, 'asked');
    const latest = async (): Promise<JsonObject> => (await messages('conversations.history', { limit: 1 }))[0] ?? {};
    expect((await latest()).blocks).toMatchObject([
      { type: 'section', text: { text: 'Deploy *now*?' } },
      {
        type: 'actions',
        elements: [
          { action_id: 'yes', value: 'sealed-yes', style: 'primary', text: { text: 'Approve' } },
          { action_id: 'no', value: 'sealed-no', style: 'danger', text: { text: 'Deny' } },
        ],
      },
    ]);
    const changed = await deliver({ text: 'Approved by Jane.', edit_of: asked.message_id }, 'changed');
    expect(changed).toMatchObject({ ok: true, message_id: asked.message_id });
    expect(await latest()).toMatchObject({ ts: asked.message_id, text: 'Approved by Jane.' });
    expect((await latest()).blocks ?? []).toEqual([]);

    const reaction = { text: '', reaction_to: asked.message_id, reaction: '✅' };
    expect(await deliver(reaction, 'reacted')).toMatchObject({ ok: true, message_id: asked.message_id });
    expect(await deliver(reaction, 'reacted again')).toMatchObject({ ok: true });
    expect((await latest()).reactions).toMatchObject([{ name: 'white_check_mark', count: 1 }]);
    expect(await deliver({ ...reaction, reaction: '🦩' }, 'unknown')).toMatchObject({
      ok: false,
      error: 'unsupported',
    });

    const attachments = [{ name: 'a.csv', content_type: 'text/csv', content_base64: 'YTti' }];
    const shared = await deliver({ text: 'The table.', thread_id: asked.message_id, attachments }, 'shared');
    expect(shared).toMatchObject({ ok: true, parts: [{}, {}] });
    const inThread = await messages('conversations.replies', { ts: asked.message_id });
    expect(inThread.flatMap(({ files }) => files ?? [])).toMatchObject([{ name: 'a.csv', size: 3 }]);
  });

  it('recognises a missing channel and an invalid token', async () => {
    const message = { text: 'hello' };
    expect(await adapter.call('deliver', { credentials, channel_address: 'C0NONE', message })).toMatchObject({
      error: 'not_found',
      error_detail: { provider_code: 'channel_not_found' },
    });
    expect(await adapter.call('verify', { credentials: {} })).toMatchObject({ ok: false, error: 'auth_failed' });
  });
});
