import type { AdapterDefinition, JsonObject } from '#libs/adapter-sdk';
import { createDiscordAdapter } from '../discord/discord.adapter.js';
import type { SocketHttp } from '../held-sockets/held-sessions.js';
import { createSlackAdapter } from '../slack/slack.adapter.js';
import { createTeamsAdapter } from '../teams/teams.adapter.js';
import { createTelegramAdapter } from '../telegram/telegram.adapter.js';
import { createWhatsappAdapter } from '../whatsapp/whatsapp.adapter.js';
import { hostAdapter } from './adapter-host.js';
import { startProviderServer } from './provider-server.js';

/** A channel with buttons: what it keeps with one, and what it sends when that is pressed. */
interface Channel {
  name: string;
  create: (url: string) => (http: SocketHttp) => AdapterDefinition;
  credentials: JsonObject;
  address: string;
  answer: JsonObject;
  /** In what the provider got, the field that comes back with a press. */
  kept: RegExp;
  press: (data: string) => JsonObject | string;
}

const value = `approval:${'Ab-_'.repeat(6)}`;
const time = 1_700_000_000;

const channels: Channel[] = [
  {
    name: 'slack',
    create: (apiUrl) => (http) => createSlackAdapter({ ...http, apiUrl }),
    credentials: { token: 'xoxb-1' },
    address: 'D1',
    answer: { ok: true, ts: '1700000001.000100', channel: 'D1' },
    kept: /"action_id":"approve".*?"value":"([^"]+)"/,
    press: (data) => {
      const payload = {
        type: 'block_actions',
        user: { id: 'ada' },
        team: { id: 'T1' },
        channel: { id: 'D1', name: 'directmessage' },
        container: { message_ts: '1700000001.000100' },
        actions: [{ action_id: 'approve', value: data, action_ts: '1700000009.1' }],
      };
      return new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
    },
  },
  {
    name: 'telegram',
    create: (apiUrl) => (http) => createTelegramAdapter({ ...http, apiUrl }),
    credentials: { token: '1:abc' },
    address: '7',
    answer: { ok: true, result: { message_id: 5, chat: { id: 7 } } },
    kept: /"callback_data":"(approve[^"]+)"/,
    press: (data) => ({
      update_id: 1,
      callback_query: {
        id: '9',
        from: { id: 7, is_bot: false, first_name: 'Ada' },
        chat_instance: '1',
        message: { message_id: 5, date: time, chat: { id: 7, type: 'private', first_name: 'Ada' }, text: 'x' },
        data,
      },
    }),
  },
  {
    name: 'discord',
    create: (apiUrl) => (http) => createDiscordAdapter({ ...http, apiUrl }),
    credentials: { token: 'bot', application_id: '845027738276462632' },
    address: '645027906669510667',
    answer: { id: '867793854505943042' },
    kept: /"custom_id":"(approve[^"]+)"/,
    press: (data) => ({
      type: 3,
      id: '867793854505943041',
      channel_id: '645027906669510667',
      user: { id: '80351110224678912', username: 'ada' },
      data: { component_type: 2, custom_id: data },
      message: { id: '867793854505943042' },
    }),
  },
  {
    name: 'whatsapp',
    create: (apiUrl) => (http) => createWhatsappAdapter({ ...http, apiUrl }),
    credentials: { token: 'token', phone_number_id: '106540352242922' },
    address: '+16505551234',
    answer: { messages: [{ id: 'wamid.0' }] },
    kept: /"id":"(approve[^"]+)"/,
    press: (data) => {
      const pressed = { type: 'button_reply', button_reply: { id: data, title: 'Approve' } };
      const message = { from: '16505551234', id: 'wamid.1', timestamp: String(time), type: 'interactive' };
      const messages = [{ ...message, interactive: pressed, context: { id: 'wamid.0' } }];
      const metadata = { phone_number_id: '106540352242922' };
      const change = { field: 'messages', value: { messaging_product: 'whatsapp', metadata, messages } };
      return { object: 'whatsapp_business_account', entry: [{ id: '1', changes: [change] }] };
    },
  },
  {
    name: 'teams',
    create: (url) => (http) => createTeamsAdapter({ ...http, loginUrl: url, serviceUrl: url, jwksUrl: url }),
    credentials: { app_id: 'app', app_password: 'secret', tenant_id: 'contoso.example' },
    address: 'a:1',
    answer: { id: '1:card', access_token: 'bot', expires_in: 3600 },
    kept: /"data":(\{"gatehouse":\{"id":"approve"[^}]+\}\})/,
    press: (data) => ({
      type: 'message',
      id: 'f:3',
      timestamp: '2023-11-14T22:13:21.000Z',
      serviceUrl: 'https://smba.trafficmanager.net/amer/',
      from: { id: '29:ada' },
      recipient: { id: '28:app' },
      conversation: { id: 'a:1', conversationType: 'personal' },
      replyToId: '1:card',
      value: JSON.parse(data) as JsonObject,
    }),
  },
];

describe('a choice that asks for an approval', () => {
  it.each(channels)('comes back from $name as it went out, from a conversation of their own', async (channel) => {
    const provider = await startProviderServer(() => ({ body: channel.answer }));
    const adapter = await hostAdapter(channel.create(provider.url));
    try {
      const message = { text: 'Order?', actions: [{ id: 'approve', label: 'Approve', style: 'primary', value }] };
      const call = { credentials: channel.credentials, channel_address: channel.address, message };
      expect(await adapter.call('deliver', { ...call, idempotency_key: 'dlv_1' })).toMatchObject({ ok: true });
      const [, data] = channel.kept.exec(provider.seen.map(({ fields }) => JSON.stringify(fields)).join('\n')) ?? [];
      if (data === undefined) throw new Error(`no button in ${JSON.stringify(provider.seen)}`);
      const pressed = channel.press(data);
      const body = typeof pressed === 'string' ? pressed : JSON.stringify(pressed);
      const type = typeof pressed === 'string' ? 'application/x-www-form-urlencoded' : 'application/json';
      const { credentials } = channel;
      const request = { headers: { 'content-type': type }, body };
      const parsed = await adapter.call('parse-inbound', { credentials, request });
      expect(parsed).toMatchObject({
        event_type: 'action',
        is_bot: false,
        is_dm: true,
        metadata: { action: { id: 'approve', value } },
      });
    } finally {
      await adapter.close();
      await provider.close();
    }
  });
});
