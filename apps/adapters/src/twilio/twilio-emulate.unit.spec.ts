import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { freePort, until } from '#libs/testing';
import { createEmulator, type Emulator } from 'emulate';
import type { JsonObject } from '#libs/adapter-sdk';
import { type AdapterHost, hostAdapter } from '../testing/adapter-host.js';
import { createTwilioAdapter } from './twilio.adapter.js';

const sid = 'AC0000000000000000000000000000e1e1';
const credentials = { account_sid: sid, token: 'emulated-auth-token', from: '+15551230002' };
const person = '+15551230001';

let twilio: Emulator;
let adapter: AdapterHost;
let hook: Server;
let hookUrl: string;
const heard: { headers: JsonObject; body: string }[] = [];

beforeAll(async () => {
  hook = createServer(async (request, response) => {
    heard.push({ headers: { ...request.headers }, body: await readText(request) });
    response.end();
  });
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  hookUrl = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/api/v1/webhooks/token?x=1`;
  const number = { phone_number: credentials.from, sms_url: hookUrl, status_callback: hookUrl };
  twilio = await createEmulator({
    service: 'twilio',
    port: await freePort(),
    seed: { twilio: { account: { sid, auth_token: credentials.token }, phone_numbers: [number] } },
  });
  adapter = await hostAdapter((http) => createTwilioAdapter({ ...http, apiUrl: twilio.url }));
});
afterAll(async () => {
  await adapter.close();
  await twilio.close();
  hook.closeAllConnections();
  await new Promise((resolve) => hook.close(resolve));
});
beforeEach(() => heard.splice(0));

const authorization = `Basic ${Buffer.from(`${sid}:${credentials.token}`).toString('base64')}`;

async function simulate(what: string, fields: object): Promise<JsonObject> {
  const answer = await fetch(`${twilio.url}/_twilio/simulate/${what}`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(fields),
  });
  return (await answer.json()) as JsonObject;
}

/** What the adapter makes of the last webhook, which the emulator has signed. */
async function received(change: (body: string) => string = (body) => body) {
  const last = await until('a webhook came', async () => heard.at(-1) ?? null);
  const request = { url: hookUrl, headers: last.headers, body: change(last.body) };
  return {
    verified: await adapter.call('verify-webhook', { credentials, request }),
    parsed: await adapter.call('parse-inbound', { credentials, request }),
  };
}

describe('against an emulated Twilio', () => {
  it('knows the account, and hears a text message that Twilio has signed', async () => {
    expect(await adapter.call('verify', { credentials })).toMatchObject({ ok: true, account: { id: sid } });
    const bad = { ...credentials, token: 'another' };
    expect(await adapter.call('verify', { credentials: bad })).toMatchObject({ ok: false, error: 'auth_failed' });

    await simulate('inbound-message', { From: person, To: credentials.from, Body: 'Is the build green? ✓ a+b=c' });
    const { verified, parsed } = await received();
    expect(verified).toEqual({ ok: true, scheme: 'twilio-sha1' });
    expect(parsed).toMatchObject({ message: 'Is the build green? ✓ a+b=c', sender: person, is_bot: false });
    const changed = await received((body) => body.replace('green', 'red'));
    expect(changed.verified).toMatchObject({ ok: false, error: 'bad_signature' });
  });

  it('answers in parts, and learns what became of its message', async () => {
    const text = 'word '.repeat(700).trim();
    const sent = await adapter.call('deliver', { credentials, channel_address: person, message: { text } });
    expect(sent).toMatchObject({ ok: true, message_id: expect.stringMatching(/^SM/) });
    const list = await fetch(
      `${twilio.url}/2010-04-01/Accounts/${sid}/Messages.json?To=${encodeURIComponent(person)}`,
      {
        headers: { authorization },
      },
    );
    const { messages } = (await list.json()) as { messages: { sid: string; body: string; from: string }[] };
    const parts = (sent.parts as { message_id: string }[]).map(({ message_id: id }) => id);
    const bodies = parts.map((id) => messages.find((message) => message.sid === id)?.body ?? '');
    expect(bodies.join(' ')).toBe(text);
    expect(Math.max(...bodies.map(({ length }) => length))).toBeLessThanOrEqual(1_600);

    heard.splice(0);
    await simulate('message-status', { MessageSid: sent.message_id, Status: 'delivered' });
    const { verified, parsed } = await received();
    expect(verified).toMatchObject({ ok: true });
    expect(parsed).toMatchObject({
      event_type: 'delivery_status',
      metadata: { status: 'delivered', message_id: sent.message_id, channel_address: null },
    });
  });

  it('refuses what is no number before it asks Twilio', async () => {
    const call = { credentials, channel_address: 'jane', message: { text: 'x' } };
    expect(await adapter.call('deliver', call)).toMatchObject({ error: 'invalid_request' });
    const unset = { ...call, channel_address: person, credentials: { ...credentials, from: '' } };
    expect(await adapter.call('deliver', unset)).toMatchObject({ error: 'auth_failed' });
  });
});
