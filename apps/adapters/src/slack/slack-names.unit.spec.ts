import type { JsonObject } from '#libs/adapter-sdk';
import { Remembered } from '../provider-calls/remembered.js';
import { hostAdapter, type AdapterHost } from '../testing/adapter-host.js';
import { startProviderServer, type ProviderServer } from '../testing/provider-server.js';
import { createSlackAdapter } from './slack.adapter.js';

let slack: ProviderServer;
let adapter: AdapterHost;
beforeAll(async () => {
  slack = await startProviderServer();
  adapter = await hostAdapter((http) => createSlackAdapter({ ...http, apiUrl: slack.url }));
});
beforeEach(() => {
  slack.seen.length = 0;
  slack.answer = ({ fields }) => ({
    body: { ok: true, user: { profile: { display_name: `name of ${String(fields.user)}` } } },
  });
});
afterAll(async () => {
  await adapter.close();
  await slack.close();
});

function parse(token: string, text: string): Promise<JsonObject> {
  const event = { type: 'message', user: 'U1', text, ts: '1700000001.000100', channel: 'D1', channel_type: 'im' };
  const body = JSON.stringify({ type: 'event_callback', team_id: 'T1', event });
  return adapter.call('parse-inbound', { credentials: { token }, request: { headers: {}, body } });
}

const asked = (): unknown[] => slack.seen.map(({ fields }) => fields.user);

describe('a name', () => {
  it('is asked for once, and again with the token of another workspace', async () => {
    for (const token of ['xoxb-a', 'xoxb-a', 'xoxb-b']) {
      expect(await parse(token, 'hi <@U2>')).toMatchObject({ message: 'hi @name of U2' });
    }
    expect(asked().toSorted()).toEqual(['U1', 'U1', 'U2', 'U2']);
  });

  it('that does not exist is not asked for again, others are', async () => {
    slack.answer = () => ({ body: { ok: false, error: 'user_not_found' } });
    await parse('xoxb-c', '<@U2>');
    await parse('xoxb-c', '<@U2> <@U3>');
    expect(asked().toSorted()).toEqual(['U1', 'U2', 'U3']);
  });

  it('is asked for twenty times a message at most', async () => {
    await parse('xoxb-d', Array.from({ length: 40 }, (_, at) => `<@U9${at}>`).join(' '));
    expect(asked()).toHaveLength(20);
  });

  it('that a busy Slack does not give leaves the message as it came, and Slack alone', async () => {
    slack.answer = () => ({ status: 429, headers: { 'retry-after': '30' }, body: { ok: false, error: 'ratelimited' } });
    expect(await parse('xoxb-e', '<@U2>')).toMatchObject({ event_type: 'message_received', message: '<@U2>' });
    const before = slack.seen.length;
    await parse('xoxb-e', '<@U3>');
    expect(slack.seen).toHaveLength(before);
  });

  it('holds a message up for seconds at most', async () => {
    slack.answer = () => 'silence';
    expect(await parse('xoxb-f', '<@U2>')).toMatchObject({ event_type: 'message_received', message: '<@U2>' });
  }, 10_000);
});

it('what is remembered is bounded in number, the oldest goes first, and in time', () => {
  const remembered = new Remembered<string>(2);
  for (const key of ['a', 'b', 'c']) remembered.set(key, key, 60_000);
  expect(['a', 'b', 'c'].map((key) => remembered.get(key))).toEqual([undefined, 'b', 'c']);
  remembered.set('c', 'late', -1);
  expect(remembered.get('c')).toBeUndefined();
});
