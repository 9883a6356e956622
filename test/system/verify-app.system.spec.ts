import { until } from '#libs/testing';
import type { EventDetail, InstalledApp } from './api.js';
import { openFakeAdapter, type FakeAdapter } from './fake-adapter.js';
import { startSmallSystem, type System } from './system.js';

interface Check {
  id: string;
  status: string;
  sentence: string;
  took_ms: number | null;
  what_to_do: string | null;
  details: string | null;
}
interface Verified {
  ok: boolean;
  passed: boolean;
  checks: Check[];
}
interface Sample {
  sent: { url: string; headers: Record<string, string>; body: string };
  answer: { status: number; body: string } | null;
  event_id: string | null;
  duplicate: boolean;
}

const timed = { scheme: 'hmac', timestamp_header: 'X-Time', header: 'X-Mac', prefix: 'v1=' };

let system: System;
let declared: FakeAdapter;

beforeAll(async () => {
  system = await startSmallSystem();
  const webhook = {
    verification: { scheme: 'hmac', header: 'x-signature-256', prefix: 'sha256=', secret_fields: ['signing_secret'] },
    handshake: {
      method: 'GET',
      match: { query: 'mode', equals: 'subscribe' },
      respond: { query: 'challenge' },
      verify_token: { query: 'verify_token', field: 'verify_token' },
    },
  };
  declared = await openFakeAdapter('declared', webhook, [
    { key: 'SECRET', type: 'text', label: 'Signing secret', maps_to: 'signing_secret' },
    { key: 'VERIFY_TOKEN', type: 'text', label: 'Verify token', maps_to: 'verify_token' },
  ]);
});
afterAll(async () => {
  await system?.stop();
  await declared?.close();
});

const verify = (id: string): Promise<Verified> => system.api('POST', `/api/v1/apps/${id}/verify`);
const send = (id: string, body: object): Promise<Sample> => system.api('POST', `/api/v1/apps/${id}/samples`, body);
const statuses = ({ checks }: Verified): Record<string, string> =>
  Object.fromEntries(checks.map(({ id, status }) => [id, status]));
const builtin = async (signature: object | undefined, secret: string): Promise<InstalledApp> => {
  const credential_id = await system.credential({ signing_secret: secret });
  const app = await system.api<InstalledApp>('POST', '/api/v1/apps', {
    name: `signed ${secret}`,
    kind: 'builtin',
    credential_id,
    ...(signature ? { signature } : {}),
  });
  await until('the ingress knows the App', async () => (await fetch(app.webhook_url)).status === 405);
  return app;
};
const signatureRefusals = async (appId: string): Promise<string[]> => {
  const { data } = await system.api<{ data: { app_id: string; code: string }[] }>('GET', '/api/v1/refusals');
  return data.filter(({ app_id, code }) => app_id === appId && code !== 'method_not_allowed').map(({ code }) => code);
};
/** A write may take a moment to be visible everywhere. */
const passed = (id: string): Promise<Verified> =>
  until('the App verifies', async () => {
    const verified = await verify(id);
    return verified.passed ? verified : null;
  });

describe('Verify', () => {
  it('sends the built-in App a good request and three bad ones by its own URL, and says how they were answered', async () => {
    const app = await builtin(timed, 'the right one');
    const verified = await passed(app.id);
    expect(statuses(verified)).toEqual({
      adapter_ready: 'not_applicable',
      credentials_accepted: 'ok',
      endpoint_reachable: 'ok',
      sample_accepted: 'ok',
      unsigned_refused: 'ok',
      tampered_refused: 'ok',
      stale_refused: 'ok',
      handshake_answered: 'not_applicable',
      delivery_prepared: 'not_applicable',
      clock_skew: 'ok',
    });
    const of = (id: string) => verified.checks.find((check) => check.id === id);
    expect(of('unsigned_refused')?.sentence).toContain('401 missing_signature');
    expect(of('tampered_refused')?.sentence).toContain('401 bad_signature');
    expect(of('stale_refused')?.sentence).toContain('401 stale_timestamp');
    expect(of('sample_accepted')?.details).toContain('HTTP 200');
    expect(of('sample_accepted')?.details).not.toContain(app.webhook_url.split('/').at(-1));
    const event = /evt_[0-9a-f]{12}[0-9a-z]{10}/.exec(of('sample_accepted')?.sentence ?? '')?.[0] ?? '';
    const detail = await system.ended(event);
    expect(detail).toMatchObject({ outcome: 'verification', messages: [], runs: [] });
    // Bad requests that we sent ourselves are not listed as refusals.
    expect(await signatureRefusals(app.id)).toEqual([]);
  });

  it('says that nothing is refused where no signature is required', async () => {
    const verified = await passed(system.appId);
    expect(statuses(verified)).toMatchObject({ sample_accepted: 'ok', unsigned_refused: 'not_applicable' });
  });

  it('fails where signatures cannot be checked, and says what to do', async () => {
    const app = await system.api<InstalledApp>('POST', '/api/v1/apps', {
      name: 'no secret',
      kind: 'builtin',
      signature: { scheme: 'standard-webhooks' },
    });
    await until('the ingress knows the App', async () => (await fetch(app.webhook_url)).status === 405);
    const verified = await verify(app.id);
    expect(verified).toMatchObject({ ok: false, passed: false });
    expect(statuses(verified)).toMatchObject({ credentials_accepted: 'failed', sample_accepted: 'failed' });
    const check = verified.checks.find(({ id }) => id === 'sample_accepted');
    expect(check?.what_to_do).toContain('signing secret');
  });

  it('sends the handshake and the signatures that a manifest declares', async () => {
    const { id: adapter_id } = await system.api<{ id: string }>('POST', '/api/v1/adapters', { url: declared.url });
    const credential_id = await system.credential({ signing_secret: 'both share it', verify_token: 'the token' });
    const app = await system.api<InstalledApp>('POST', '/api/v1/apps', {
      name: 'provider',
      kind: 'adapter',
      adapter_id,
      credential_id,
    });
    const verified = await passed(app.id);
    expect(statuses(verified)).toMatchObject({
      adapter_ready: 'ok',
      credentials_accepted: 'ok',
      sample_accepted: 'ok',
      tampered_refused: 'ok',
      stale_refused: 'not_applicable',
      handshake_answered: 'ok',
      delivery_prepared: 'not_applicable',
    });
  });
});

describe('a sample', () => {
  it('takes the whole way as if its provider had sent it', async () => {
    const sample = await send(system.appId, {});
    expect(sample).toMatchObject({ answer: { status: 200 }, duplicate: false });
    expect(await system.ended(sample.event_id ?? '')).toMatchObject({ outcome: 'routed' });
  });

  it('of a manifest is signed as that provider signs, and read by its adapter', async () => {
    const url = `${system.origin('adapters')}/github`;
    const { id: adapter_id } = await system.api<{ id: string }>('POST', '/api/v1/adapters', { url });
    const credential_id = await system.credential({ signing_secret: 'github-secret' });
    const app = await system.api<InstalledApp>('POST', '/api/v1/apps', {
      name: 'GitHub',
      kind: 'adapter',
      adapter_id,
      credential_id,
    });
    const event = await until('the ingress knows the secret', async () => {
      const { answer, event_id } = await send(app.id, { event_type: 'issue_opened' });
      return answer?.status === 200 ? event_id : null;
    });
    const { messages } = await system.ended(event ?? '');
    expect(messages[0]?.message).toMatchObject({ event_type: 'issue_opened', message: 'It fails\n\nEvery time.' });
  });

  it('of a stored event is a new event with the same text', async () => {
    const first = await send(system.appId, { body: '{"task":"the same words"}', headers: { 'x-note': 'kept' } });
    const repeated = await send(system.appId, { event_id: first.event_id, verification_only: true });
    expect(repeated.sent.body).toBe('{"task":"the same words"}');
    expect(repeated.sent.headers['x-note']).toBe('kept');
    expect(await system.ended(repeated.event_id ?? '')).toMatchObject({
      outcome: 'verification',
    } as Partial<EventDetail>);
  });

  it('that is bad is refused as a stranger’s would be, and is listed among the refusals', async () => {
    const app = await builtin(timed, 'the kinds');
    await passed(app.id);
    const { kinds } = await system.api<{ kinds: string[] }>('GET', `/api/v1/apps/${app.id}/samples`);
    expect(kinds).toEqual(['signed', 'unsigned', 'tampered', 'stale']);
    const codes = await Promise.all(
      ['tampered', 'stale', 'unsigned'].map(
        async (kind) => JSON.parse((await send(app.id, { kind })).answer!.body).error,
      ),
    );
    expect(codes).toEqual(['bad_signature', 'stale_timestamp', 'missing_signature']);
    await until('they are among the refusals', async () => (await signatureRefusals(app.id)).length === 3);
  });

  it.each([
    [{ kind: 'stale' }, 'nothing_is_signed'],
    [{ body: '{}', event_type: 'sample' }, 'sample_ambiguous'],
    [{ event_type: 'nope' }, 'no_such_sample'],
    [{ headers: { Host: 'elsewhere' } }, 'invalid_fields'],
    [{ headers: { 'x-a': 'line\r\nbreak' } }, 'invalid_fields'],
  ])('as %j is refused: %s', async (body, code) => {
    await expect(send(system.appId, body)).rejects.toThrow(code);
  });
});
