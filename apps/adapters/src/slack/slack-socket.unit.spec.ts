import { until } from '#libs/testing';
import type { JsonObject } from '#libs/adapter-sdk';
import { type AdapterHost, hostAdapter } from '../testing/adapter-host.js';
import { SlackSocketServer } from '../testing/slack-socket-server.js';
import { createSlackAdapter } from './slack.adapter.js';

type Answer = JsonObject & { events: { id: string; body: string; headers?: Record<string, string> }[]; cursor: string };

let slack: SlackSocketServer;
let adapter: AdapterHost;
let credentials: JsonObject;

beforeEach(async () => {
  credentials = { token: 'xoxb-1', app_token: 'xapp-1' };
  slack = await SlackSocketServer.start();
  adapter = await hostAdapter((http) => createSlackAdapter({ ...http, apiUrl: slack.url }));
});
afterEach(async () => {
  await adapter.close();
  await slack.close();
});

const poll = async (more: JsonObject = {}): Promise<Answer> =>
  (await adapter.call('poll', { credentials, wait_seconds: 20, ...more })) as Answer;
const ids = ({ events }: Answer) => events.map(({ id }) => id);

describe('Socket Mode', () => {
  it('brings what the request URL would be sent, and acknowledges it when the next question says that it is stored', async () => {
    const waiting = poll();
    await until('it is connected', () => slack.connections === 1);
    slack.write('text 1');
    const first = await waiting;
    expect(ids(first)).toEqual(['Ev1']);
    expect(slack.tokens.at(-1)).toBe(credentials.app_token);
    expect(slack.acknowledged).toEqual([]);
    const parsed = await adapter.call('parse-inbound', {
      credentials,
      request: { headers: { 'content-type': 'application/json' }, body: first.events[0]?.body },
    });
    expect(parsed).toMatchObject({ event_type: 'message_received', message: 'text 1', sender: 'U7' });
    const next = poll({ cursor: first.cursor });
    await until('Slack knows', () => slack.acknowledged.length === 1);
    slack.write('text 2');
    expect(ids(await next)).toEqual(['Ev2']);
    expect(slack.connections).toBe(1);
  });

  it('gives an event again to whoever asks without saying that it is stored', async () => {
    const waiting = poll();
    await until('it is connected', () => slack.connections === 1);
    slack.write('text 1');
    const cursor = (await waiting).cursor;
    expect(ids(await poll())).toEqual(['Ev1']);
    expect(ids(await poll({ cursor: `00000000-0000-4000-8000-000000000000:9` }))).toEqual(['Ev1']);
    expect(slack.acknowledged).toEqual([]);
    expect(ids(await poll({ cursor, wait_seconds: 0 }))).toEqual([]);
    await until('Slack knows', () => slack.acknowledged.join() === 'env-1');
  });

  it('brings commands and buttons as the forms that Slack posts', async () => {
    const waiting = poll();
    await until('it is connected', () => slack.connections === 1);
    const command = {
      command: '/ask',
      text: 'the price',
      user_id: 'U7',
      channel_id: 'C1',
      team_id: 'T1',
      trigger_id: '1.2',
    };
    slack.emit({ envelope_id: 'env-c', type: 'slash_commands', payload: command });
    const answer = await waiting;
    expect(answer.events[0]?.id).toBe('env-c');
    const { body, headers } = answer.events[0] ?? {};
    expect(await adapter.call('parse-inbound', { credentials, request: { headers, body } })).toMatchObject({
      event_type: 'command',
      message: expect.stringContaining('the price'),
    });
    const press = poll({ cursor: answer.cursor });
    slack.emit({
      envelope_id: 'env-b',
      type: 'interactive',
      payload: {
        type: 'block_actions',
        user: { id: 'U7' },
        channel: { id: 'C1' },
        team: { id: 'T1' },
        actions: [{ action_id: 'yes', value: 'yes', action_ts: '1.0', type: 'button' }],
      },
    });
    const [event] = (await press).events;
    expect(await adapter.call('parse-inbound', { credentials, request: event })).toMatchObject({
      event_type: 'action',
    });
  });

  it('opens another socket before Slack closes one, and after one was lost', async () => {
    const first = await poll({ wait_seconds: 0 });
    slack.announceClose('refresh_requested');
    await until('two are open', () => slack.connections === 2);
    slack.cut();
    await until('none is open', () => slack.connections === 0);
    slack.write('text 1');
    expect(ids(await poll({ cursor: first.cursor }))).toEqual(['Ev1']);
  });

  it('says why it cannot connect', async () => {
    slack.refusal = 'invalid_auth';
    expect(await poll()).toMatchObject({
      ok: false,
      error: 'auth_failed',
      error_detail: { provider_code: 'invalid_auth' },
    });
    credentials = { token: 'xoxb-1' };
    expect(await poll()).toMatchObject({
      error: 'auth_failed',
      error_detail: { message: expect.stringContaining('xapp-') },
    });
    expect(await poll({ cursor: 'x' })).toMatchObject({ ok: false });
  });

  it('reports that Socket Mode was switched off', async () => {
    const { cursor } = await poll({ wait_seconds: 0 });
    slack.refusal = 'socket_mode_disabled';
    slack.announceClose('link_disabled');
    // One of the two questions comes after Slack's word.
    expect([await poll({ cursor, wait_seconds: 20 }), await poll({ cursor, wait_seconds: 0 })]).toContainEqual(
      expect.objectContaining({
        error: 'auth_failed',
        error_detail: expect.objectContaining({ message: expect.stringContaining('switched off') }),
      }),
    );
  });

  it('is checked with the token', async () => {
    expect(await adapter.call('verify', { credentials })).toMatchObject({ ok: true });
    slack.refusal = 'not_allowed_token_type';
    const { warnings } = (await adapter.call('verify', { credentials })) as { warnings: string[] };
    expect(warnings).toContain('Socket Mode does not work: not_allowed_token_type');
  });
});
