import type { JsonObject } from '#libs/adapter-sdk';
import { hostAdapter, type AdapterHost } from '../testing/adapter-host.js';
import { createSlackAdapter } from './slack.adapter.js';

const self = { id: 'U0AGENT', bot_id: 'B0AGENT' };
let adapter: AdapterHost;
beforeAll(async () => {
  adapter = await hostAdapter(createSlackAdapter);
});
afterAll(() => adapter.close());

function parse(event: JsonObject, more: JsonObject = {}, who: unknown = self): Promise<JsonObject> {
  const body = JSON.stringify({ type: 'event_callback', team_id: 'T1', api_app_id: 'A1', event, ...more });
  return adapter.call('parse-inbound', { self: who, request: { headers: {}, body } });
}

const message = {
  type: 'message',
  user: 'U1',
  text: 'hello',
  ts: '1700000001.000100',
  channel: 'C1',
  channel_type: 'channel',
};
const edit = (author: JsonObject, text = 'new', previous = 'old') => ({
  type: 'message',
  subtype: 'message_changed',
  channel: 'C1',
  ts: '1700000009.000100',
  message: {
    type: 'message',
    text,
    ts: '1700000001.000100',
    edited: { user: 'U1', ts: '1700000009.000000' },
    ...author,
  },
  previous_message: { text: previous, ts: '1700000001.000100', ...author },
});

describe('the author of a message', () => {
  it.each<[string, JsonObject, JsonObject, boolean, boolean]>([
    ['a person', message, {}, false, false],
    ['the agent', { ...message, user: 'U0AGENT' }, {}, true, true],
    ['the agent by its bot id', { ...message, user: undefined, bot_id: 'B0AGENT' }, {}, true, true],
    [
      'the agent by its app, under another name',
      { ...message, bot_id: 'B9', bot_profile: { app_id: 'A1' } },
      {},
      true,
      true,
    ],
    ['another bot', { ...message, bot_id: 'B9', app_id: 'A9' }, {}, true, false],
    ['an old webhook', { ...message, subtype: 'bot_message', user: undefined }, {}, true, false],
    ['a person who edited', edit({ user: 'U1' }), {}, false, false],
    ['the agent that edited', edit({ user: 'U0AGENT', bot_id: 'B0AGENT' }), {}, true, true],
    ['another bot that edited', edit({ user: 'U9', bot_id: 'B9' }), {}, true, false],
    [
      'a deletion of the agent',
      {
        type: 'message',
        subtype: 'message_deleted',
        channel: 'C1',
        deleted_ts: '1.1',
        previous_message: { user: 'U0AGENT', ts: '1.1', text: 'secret' },
      },
      {},
      true,
      true,
    ],
    [
      'a reaction of a person to the agent',
      {
        type: 'reaction_added',
        user: 'U1',
        reaction: 'tada',
        item: { type: 'message', channel: 'C1', ts: '1.1' },
        item_user: 'U0AGENT',
        event_ts: '2.2',
      },
      {},
      false,
      false,
    ],
    [
      'a reaction of the agent',
      {
        type: 'reaction_added',
        user: 'U0AGENT',
        reaction: 'eyes',
        item: { type: 'message', channel: 'C1', ts: '1.1' },
        event_ts: '2.2',
      },
      {},
      true,
      true,
    ],
  ])('%s', async (_name, event, more, isBot, isSelf) => {
    expect(await parse(event, more)).toMatchObject({ is_bot: isBot, metadata: { is_self: isSelf } });
  });

  it('is recognised by the authorization of the event before anything was verified', async () => {
    const authorizations = [{ team_id: 'T1', user_id: 'U0AGENT', is_bot: true }];
    const own = await parse({ ...message, user: 'U0AGENT' }, { authorizations }, null);
    expect(own).toMatchObject({ is_bot: true, metadata: { is_self: true } });
  });
});

describe('a message', () => {
  it('has one key, whichever comes first: the mention, its twin or a retry', async () => {
    const text = '<@U0AGENT> hello';
    const twin = await parse({ ...message, text });
    const mention = await parse({ ...message, type: 'app_mention', channel_type: undefined, text });
    expect(mention).toMatchObject({ event_type: 'mention', dedup_key: 'slack:T1:C1:1700000001.000100' });
    expect(twin).toMatchObject({ event_type: 'mention', dedup_key: mention.dedup_key, message: mention.message });
    expect((await parse({ ...message, ts: '1700000001.000101' })).dedup_key).not.toBe(mention.dedup_key);
  });

  it('has a new key for each edit, and an unfurled link is not an edit', async () => {
    expect(await parse(edit({ user: 'U1' }))).toMatchObject({
      event_type: 'message_edited',
      message: 'new',
      sender: 'U1',
      dedup_key: 'slack:T1:C1:1700000001.000100:edited:1700000009.000000',
      thread_id: '1700000001.000100',
    });
    expect(await parse(edit({ user: 'U1' }, 'same', 'same'))).toMatchObject({ event_type: 'ignored' });
  });

  it('that was deleted is not repeated', async () => {
    const deleted = await parse({
      type: 'message',
      subtype: 'message_deleted',
      channel: 'C1',
      deleted_ts: '1.1',
      previous_message: { user: 'U1', ts: '1.1', text: 'my password' },
    });
    expect(deleted).toMatchObject({ event_type: 'message_deleted', message: '', is_bot: false });
    expect(JSON.stringify(deleted)).not.toContain('my password');
  });
});

describe('the thread', () => {
  it.each<[string, JsonObject, string | undefined, boolean]>([
    ['of a message in a channel is opened by an answer', message, '1700000001.000100', false],
    ['of an answer is that of the answer', { ...message, thread_ts: '1600000000.000100' }, '1600000000.000100', false],
    ['of a direct message is the conversation', { ...message, channel: 'D1', channel_type: 'im' }, undefined, true],
    ['inside a direct message stays', { ...message, channel: 'D1', channel_type: 'im', thread_ts: '1.1' }, '1.1', true],
    [
      'of a group conversation is that of the message',
      { ...message, channel: 'G1', channel_type: 'mpim' },
      '1700000001.000100',
      false,
    ],
  ])('%s', async (_name, event, thread, isDm) => {
    const parsed = await parse(event);
    expect([parsed.thread_id, parsed.is_dm]).toEqual([thread, isDm]);
  });
});

describe('forms', () => {
  const form = (fields: Record<string, string>): Promise<JsonObject> =>
    adapter.call('parse-inbound', { request: { headers: {}, body: new URLSearchParams(fields).toString() } });

  it('are commands, with a key per call, and the certificate check recognised', async () => {
    const fields = {
      command: '/deploy',
      text: 'web',
      channel_id: 'D1',
      channel_name: 'directmessage',
      user_id: 'U1',
      team_id: 'T1',
      trigger_id: 't.1',
    };
    expect(await form(fields)).toMatchObject({
      event_type: 'command',
      message: '/deploy web',
      is_dm: true,
      dedup_key: 'slack:T1:command:t.1',
    });
    expect(await form({ ssl_check: '1', token: 'x' })).toMatchObject({ event_type: 'ping' });
  });

  it('are dialogs and shortcuts', async () => {
    const user = { id: 'U1', username: 'jane' };
    const submitted = {
      type: 'view_submission',
      user,
      team: { id: 'T1' },
      trigger_id: 't.2',
      view: { callback_id: 'ask', state: { values: { a: { b: { value: 'x' } } } } },
    };
    expect(await form({ payload: JSON.stringify(submitted) })).toMatchObject({
      event_type: 'action',
      message: '{"a":{"b":{"value":"x"}}}',
      dedup_key: 'slack:T1:-:-:trigger:t.2',
      metadata: { callback_id: 'ask', raw_type: 'view_submission' },
    });
    expect(await form({ payload: '[]' })).toMatchObject({ event_type: 'ignored' });
    expect(await form({ payload: '{"type":"view_closed"}' })).toMatchObject({ event_type: 'ignored' });
  });
});
