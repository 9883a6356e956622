import { freePort } from '#libs/testing';
import { App, HTTPReceiver, LogLevel, type ReceiverEvent } from '@slack/bolt';
import { isFreshTimestamp, signHmac, type JsonObject } from '#libs/adapter-sdk';
import { hostAdapter, type AdapterHost } from '../testing/adapter-host.js';
import { createSlackAdapter } from './slack.adapter.js';

/** The vector that Slack documents. */
const SECRET = '8f742231b10e8888abcd99yyyzzz85a5';
const DOCUMENTED = {
  received_at: new Date(1531420618_000).toISOString(),
  request: {
    headers: {
      'X-Slack-Request-Timestamp': '1531420618',
      'X-Slack-Signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    },
    body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
  },
};

let adapter: AdapterHost;
beforeAll(async () => {
  adapter = await hostAdapter(createSlackAdapter);
});
afterAll(() => adapter.close());

function verify(call: JsonObject, signing_secret: unknown = SECRET): Promise<JsonObject> {
  return adapter.call('verify-webhook', { credentials: { signing_secret }, ...call });
}

function signed(body: string, at = new Date()): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  return {
    'x-slack-request-timestamp': timestamp,
    'x-slack-signature': `v0=${signHmac(SECRET, `v0:${timestamp}:${body}`)}`,
  };
}

describe('the signature', () => {
  it('is accepted as Slack documents it, also with the next secret', async () => {
    expect(await verify(DOCUMENTED)).toEqual({ ok: true, scheme: 'slack-v0' });
    expect(await verify(DOCUMENTED, ['next', SECRET])).toMatchObject({ ok: true });
    expect(await verify(DOCUMENTED, 'another secret')).toMatchObject({ error: 'bad_signature' });
    expect(await adapter.call('parse-inbound', { credentials: {}, ...DOCUMENTED })).toMatchObject({
      event_type: 'command',
      message: '/webhook-collect',
      sender: 'U2CERLKJA',
      metadata: { channel_address: 'G8PSS9T3V', account: 'T1DC2JH3J' },
    });
  });

  it('expires five minutes after it was made, and is refused five minutes before', async () => {
    const at = (seconds: number) => ({
      ...DOCUMENTED,
      received_at: new Date((1531420618 + seconds) * 1000).toISOString(),
    });
    for (const seconds of [-300, 300]) expect(await verify(at(seconds))).toMatchObject({ ok: true });
    for (const seconds of [-301, 301]) expect(await verify(at(seconds))).toMatchObject({ error: 'stale_timestamp' });
    expect(isFreshTimestamp('1531420618x', new Date(1531420618_000))).toBe(false);
  });
});

describe("Bolt's receiver", () => {
  it('accepts what our signer signed, and refuses what we refuse', async () => {
    const seen: ReceiverEvent['body'][] = [];
    const port = await freePort();
    const receiver = new HTTPReceiver({ signingSecret: SECRET, port, logLevel: LogLevel.ERROR });
    const app = new App({
      receiver,
      logLevel: LogLevel.ERROR,
      authorize: () => Promise.resolve({ botToken: 'x', botId: 'B', botUserId: 'U' }),
    });
    app.use(async ({ body }) => {
      seen.push(body);
    });
    await app.start();
    try {
      const event = { type: 'message', user: 'U1', text: 'hello', ts: '1700000001.000100', channel: 'C1' };
      const body = JSON.stringify({ type: 'event_callback', team_id: 'T1', api_app_id: 'A1', event });
      const post = async (headers: Record<string, string>, content: string): Promise<number> => {
        const answer = await fetch(`http://127.0.0.1:${port}/slack/events`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: content,
        });
        return answer.status;
      };
      for (const [headers, content, ours, theirs] of [
        [signed(body), body, true, 200],
        [signed(body), `${body} `, false, 401],
        [signed(body, new Date(Date.now() - 400_000)), body, false, 401],
      ] as const) {
        expect(await verify({ request: { headers, body: content } })).toMatchObject({ ok: ours });
        expect(await post({ ...headers }, content)).toBe(theirs);
      }
      expect(seen).toHaveLength(1);
    } finally {
      await app.stop();
    }
  });
});
