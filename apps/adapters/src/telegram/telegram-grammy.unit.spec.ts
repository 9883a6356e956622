import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Bot, webhookCallback, type Context } from 'grammy';
import type { JsonObject } from '#libs/adapter-sdk';
import { hostAdapter, type AdapterHost } from '../testing/adapter-host.js';
import { createTelegramAdapter } from './telegram.adapter.js';
import { startTelegramServer, type TelegramServer } from './testing/telegram-server.js';

const SECRET = 'hook_4Zq9-tT2mKx8';
const AGENT = { id: 110201543, username: 'agent_bot', token: '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw' };
const OTHER = { id: 220201543, username: 'other_bot', token: '220201543:BBHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw' };
const CHAT = '-1001234567890';
const credentials = { token: AGENT.token, signing_secret: SECRET };

let telegram: TelegramServer;
let adapter: AdapterHost;
let account: unknown;
let hook: Server;
let hookUrl: string;
const heard: Context[] = [];

beforeAll(async () => {
  telegram = await startTelegramServer([AGENT, OTHER]);
  adapter = await hostAdapter((http) => createTelegramAdapter({ ...http, apiUrl: telegram.url }));
  const grammy = new Bot(AGENT.token, { client: { apiRoot: telegram.url } });
  grammy.use((context) => {
    heard.push(context);
  });
  hook = createServer(webhookCallback(grammy, 'http', { secretToken: SECRET }));
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  hookUrl = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/`;
  ({ account } = await adapter.call('verify', { credentials }));
});
afterAll(async () => {
  hook.closeAllConnections();
  await new Promise((resolve) => hook.close(resolve));
  await adapter.close();
  await telegram.close();
});

/** The update as received by grammY's webhook and by the adapter. */
async function received(update: JsonObject, secret = SECRET) {
  const body = JSON.stringify(update);
  const headers = { 'content-type': 'application/json', 'X-Telegram-Bot-Api-Secret-Token': secret };
  const taken = await fetch(hookUrl, { method: 'POST', headers, body });
  const envelope = { credentials, self: account, request: { headers, body } };
  const verified = await adapter.call('verify-webhook', envelope);
  const parsed = await adapter.call('parse-inbound', envelope);
  return { status: taken.status, context: heard.at(-1), verified, parsed };
}

const person = { id: 55, is_bot: false, first_name: 'Jane' };
const group = { id: Number(CHAT), type: 'supergroup', title: 'Build', is_forum: true };

describe('beside grammY', () => {
  it('accepts the same requests and reads the same message from them', async () => {
    const message = telegram.write({
      from: person,
      chat: group,
      text: '@agent_bot is the build green?',
      entities: [{ type: 'mention', offset: 0, length: 10 }],
      message_thread_id: 42,
      is_topic_message: true,
    });
    const { status, context, verified, parsed } = await received(telegram.updateOf(message));
    expect([status, verified.ok]).toEqual([200, true]);
    expect(parsed).toMatchObject({
      event_type: 'mention',
      message: context?.msg?.text,
      sender: String(context?.from?.id),
      thread_id: String(context?.msg?.message_thread_id),
      dedup_key: `telegram:${context?.me.id}:${context?.update.update_id}`,
      metadata: { channel_address: String(context?.chat?.id), message_id: String(context?.msgId) },
    });
    expect((await received(telegram.updateOf(message), 'guessed')).verified).toMatchObject({ error: 'bad_signature' });
    expect((await received(telegram.updateOf(message), 'guessed')).status).toBe(401);
  });

  it('answers in the topic, and recognises its own answer and that of another bot', async () => {
    const sent = await adapter.call('deliver', {
      credentials,
      channel_address: CHAT,
      message: { text: 'It **is**: 1 < 2 & done', thread_id: '42', reply_context: { message_id: '1' } },
    });
    expect(sent).toMatchObject({ ok: true, thread_id: '42' });
    const own = telegram.messages.at(-1) ?? {};
    expect(own).toMatchObject({ text: 'It is: 1 < 2 & done', message_thread_id: 42 });
    expect(telegram.seen.at(-1)?.fields.reply_parameters).toEqual({ message_id: 1, allow_sending_without_reply: true });
    const echo = await received(telegram.updateOf(own));
    expect(echo.parsed).toMatchObject({ is_bot: true, metadata: { is_self: true, message_id: sent.message_id } });

    const other = new Bot(OTHER.token, { client: { apiRoot: telegram.url } });
    const posted = await other.api.sendMessage(CHAT, 'I disagree');
    const { parsed } = await received(telegram.updateOf({ ...posted }));
    expect(parsed).toMatchObject({ is_bot: true, sender: String(OTHER.id), metadata: { is_self: false } });
  });

  it('offers choices, hears a press, takes the choices back, reacts, and shows that it writes', async () => {
    const deliver = (message: object): Promise<JsonObject> =>
      adapter.call('deliver', { credentials, channel_address: CHAT, message });
    const actions = [
      { id: 'yes', label: 'Approve', value: 'sealed' },
      { id: 'no', label: 'Deny', value: 'v'.repeat(48) },
    ];
    const asked = await deliver({ text: 'Deploy **now**?', actions });
    const own = telegram.messages.at(-1) ?? {};
    const [[first], [second]] = (own.reply_markup as { inline_keyboard: { text: string; callback_data: string }[][] })
      .inline_keyboard as [[{ text: string; callback_data: string }], [{ text: string; callback_data: string }]];
    expect([first.text, second.text]).toEqual(['Approve', 'Deny']);
    expect(Buffer.byteLength(second.callback_data)).toBeLessThanOrEqual(64);

    const press = { id: 'press-1', from: person, message: own, chat_instance: '1', data: first.callback_data };
    const { context, parsed } = await received(telegram.updateOf(press, 'callback_query'));
    expect(context?.callbackQuery?.data).toBe(first.callback_data);
    expect(parsed).toMatchObject({
      event_type: 'action',
      sender: '55',
      message: 'sealed',
      metadata: { action: { id: 'yes', value: 'sealed', message_id: asked.message_id } },
    });
    expect(telegram.seen.at(-1)).toMatchObject({ fields: { callback_query_id: 'press-1' } });

    for (const text of ['Approved by Jane.', 'Approved by Jane.']) {
      const changed = await deliver({ text, edit_of: asked.message_id });
      expect(changed).toMatchObject({ ok: true, message_id: asked.message_id });
    }
    expect(own).toMatchObject({ text: 'Approved by Jane.' });
    expect(own).not.toHaveProperty('reply_markup');

    const reaction = { text: '', reaction_to: asked.message_id, reaction: '👍' };
    expect(await deliver(reaction)).toMatchObject({ ok: true, message_id: asked.message_id });
    expect(own.reaction).toEqual([{ type: 'emoji', emoji: '👍' }]);
    expect(await deliver({ ...reaction, reaction: '🛒' })).toMatchObject({ ok: false, error: 'unsupported' });
    expect(await deliver({ ...reaction, text: 'Yes.', reaction: '🛒' })).toMatchObject({
      ok: true,
      fallback: 'reaction',
    });
    expect(await deliver({ text: 'x', edit_of: '999' })).toMatchObject({ ok: false, error: 'not_found' });

    const waiting = { credentials, channel_address: CHAT, thread_id: '42', state: 'working' };
    expect(await adapter.call('indicate', waiting)).toEqual({ ok: true });
    const shown = { chat_id: CHAT, message_thread_id: 42, action: 'typing' };
    expect(telegram.seen.at(-1)).toMatchObject({ fields: shown });
  });

  it('sends ten times the limit whole and in order, with tags closed in each part and emoji whole', async () => {
    const words = Array.from({ length: 8_000 }, (_, index) => `w${index}`)
      .join(' ')
      .slice(0, 40_960);
    for (const text of [
      words,
      `**${words}**`,
      `\`\`\`\n${words.replaceAll(' ', '\n')}\n\`\`\``,
      `x${'😀'.repeat(4_096)}`,
    ]) {
      const before = telegram.messages.length;
      const sent = await adapter.call('deliver', { credentials, channel_address: CHAT, message: { text } });
      expect(sent).toMatchObject({ ok: true, fallback: null });
      const shown = telegram.messages.slice(before).map((message) => String(message.text));
      expect(shown.every((part) => part.length <= 4_096 && part.isWellFormed())).toBe(true);
      const plain = (some: string): string => some.replaceAll(/[^\w\u{1f600}]/gu, '');
      expect(plain(shown.join(''))).toBe(plain(text));
    }
  });

  it('splits the output of /format as it splits Markdown', async () => {
    const text = `# Title\n\n${'some **bold** <words> & [a link](https://example.com/?a=1&b=2) '.repeat(400)}`;
    const formatted = await adapter.call('format', { text, mode: 'rich' });
    const native = { text: formatted.text, format: 'native' };
    const before = telegram.seen.length;
    await adapter.call('deliver', { credentials, channel_address: CHAT, message: native });
    const sent = telegram.seen.slice(before).map(({ fields }) => fields.text);
    expect(sent).toEqual(formatted.parts);
    expect(sent.length).toBeGreaterThan(2);
  });

  it('falls back to plain text when Telegram cannot read the markup', async () => {
    const message = { text: 'so <blink>bright</blink> &amp; new', format: 'native' };
    const sent = await adapter.call('deliver', { credentials, channel_address: CHAT, message });
    expect(sent).toMatchObject({ ok: true, fallback: 'plain' });
    expect(telegram.messages.at(-1)).toMatchObject({ text: 'so bright & new' });
  });
});
