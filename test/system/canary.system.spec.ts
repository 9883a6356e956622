import { until } from '#libs/testing';
import pg from 'pg';
import type { Schema } from '../../apps/console/src/api/named-schema.js';
import type { InstalledApp } from './api.js';
import { everyRow, openCanaries, recordRedis } from './canaries.js';
import { openSink, type Sink } from './sink.js';
import { startSystem, type System } from './system.js';
import { hmac, post } from './webhook.js';

describe('a stored secret', () => {
  const canaries = openCanaries();
  const plant = (field: string): string => canaries.plant(field);
  const answers: string[] = [];
  let system: System;
  let sink: Sink;
  let commands: Awaited<ReturnType<typeof recordRedis>> | undefined;

  beforeAll(async () => {
    sink = await openSink();
    system = await startSystem({ LOG_LEVEL: 'trace' });
    commands = await recordRedis(system.redisUrl);
  });
  afterAll(async () => {
    commands?.stop();
    await system?.stop();
    await sink.close();
  });

  /** Keeps every answer, whatever its status. */
  async function ask<T>(method: string, path: string, body?: object | string): Promise<{ status: number; json: T }> {
    const answer = await fetch(`${system.origin('portal')}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${system.apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    answers.push(`${JSON.stringify([...answer.headers])} ${text}`);
    return { status: answer.status, json: text.startsWith('{') ? JSON.parse(text) : null };
  }
  const credentials = '/api/v1/credentials';
  const created = async (body: object): Promise<string> => {
    const { status, json } = await ask<{ id: string }>('POST', credentials, body);
    expect(status).toBe(201);
    return json.id;
  };
  const install = async (body: object): Promise<InstalledApp> =>
    (await ask<InstalledApp>('POST', '/api/v1/apps', body)).json;
  const notedInbound = async (url: string, body: string, signature: string) => {
    const sent = await post(url, body, { 'x-signature-256': signature });
    answers.push(JSON.stringify(sent));
    return sent;
  };

  it('is stored, changed, rotated, refused and deleted', async () => {
    await created({ name: 'key', type: 'api_key', adapter_slug: 'generic', fields: { token: plant('api_key token') } });
    const oauth = await created({
      name: 'oauth',
      type: 'oauth2',
      grant: 'authorization_code',
      fields: {
        client_id: 'an-id',
        client_secret: plant('client_secret'),
        access_token: plant('access_token'),
        refresh_token: plant('refresh_token'),
      },
    });
    const text = await created({
      name: 'smtp',
      type: 'text',
      declared_fields: [{ name: 'password' }, { name: 'keys', list: true }],
      fields: { password: plant('declared'), keys: [plant('list 1'), plant('list 2')] },
    });
    const path = `${credentials}/${text}`;
    await ask('PATCH', path, { fields: { password: plant('patched') } });
    await ask('POST', `${path}/fields/keys/rotate`, { value: plant('rotated field') });
    await ask('POST', `${path}/rotate`, { fields: { password: plant('rotated'), keys: [plant('rotated list')] } });
    await ask('POST', `${path}/verify`);
    await ask('POST', `${credentials}/${oauth}/verify`);
    await ask('POST', `${credentials}/${oauth}/bindings`, {
      consumer_kind: 'app',
      consumer_id: 'a',
      maps_to: { client_secret: 's' },
    });
    const wrong = [
      ask('POST', credentials, { name: 'w1', type: 'api_key', fields: { password: plant('unknown field') } }),
      ask('POST', credentials, { name: 'w2', type: 'text', fields: { 'Bad Name': plant('bad name') } }),
      ask('POST', credentials, { name: 'w3', type: 'text', fields: { a: { deep: plant('nested') } } }),
      ask('POST', credentials, { name: 'w4', type: plant('type'), fields: {} }),
      ask('POST', credentials, { name: 'w5', type: 'text', fields: [plant('fields as a list')] }),
      ask('POST', credentials, { name: 'w6', type: 'api_key', fields: { token: plant('x').repeat(3_000) } }),
      ask('POST', credentials, `{"name":"w7","fields":{"a":"${plant('broken JSON')}"`),
      ask('POST', credentials, { name: 'smtp', type: 'api_key', fields: { token: plant('name taken') } }),
      ask('PATCH', path, { fields: { keys: plant('no list') } }),
      ask('POST', `${path}/fields/nope/rotate`, { value: plant('no field') }),
      ask('POST', '/internal/credentials/resolve', { credential_id: text }),
    ];
    for (const { status } of await Promise.all(wrong)) expect(status).toBeGreaterThanOrEqual(400);
    await ask('GET', credentials);
    await ask('GET', `${path}/audit`);
    expect((await ask('DELETE', path)).status).toBe(204);
  });

  it('signs in both directions, also when a signature, a reply or the vault fails', async () => {
    const secret = plant('signing_secret');
    const older = plant('older signing_secret');
    const credential_id = await created({ name: 'signing', type: 'text', fields: { signing_secret: [secret, older] } });
    const app = await install({ name: 'signed', kind: 'builtin', credential_id, signature: { scheme: 'hmac' } });
    await ask('PUT', `/api/v1/channels/${app.id}`, { reply_address: `${sink.url}/signed` });
    await ask('POST', `/api/v1/apps/${app.id}/verify`);
    const body = JSON.stringify({ task: 'sign this' });
    const { status, id } = await notedInbound(app.webhook_url, body, hmac(secret, body));
    expect(status).toBe(200);
    const reply = await until('a signed reply arrives', () => sink.repliesTo(id)[0]);
    expect(reply.headers['x-signature-256']).toBe(hmac(secret, reply.body));
    // While a list is rotated, both values are valid.
    expect((await notedInbound(app.webhook_url, body, hmac(older, body))).status).toBe(200);
    expect((await notedInbound(app.webhook_url, body, hmac('another', body))).status).toBeGreaterThanOrEqual(400);
    expect((await ask('DELETE', `${credentials}/${credential_id}`)).json).toMatchObject({ code: 'credential_in_use' });

    sink.answer = () => ({ status: 500 });
    const failing = await notedInbound(app.webhook_url, body, hmac(secret, body));
    await until('the failing sink was tried', () => sink.repliesTo(failing.id).length > 0);
    sink.answer = () => ({ status: 200 });

    const db = new pg.Client({ connectionString: system.databaseUrl });
    await db.connect();
    await db.query('UPDATE vault.credential_field SET sealed = $1 WHERE credential_id = $2', [
      Buffer.alloc(60, 1),
      credential_id,
    ]);
    await db.end();
    await until('the vault found it undecryptable', async () => {
      await ask('POST', `/api/v1/apps/${app.id}/verify`);
      return (
        (await ask<Schema<'CredentialView'>>('GET', `${credentials}/${credential_id}`)).json.status === 'undecryptable'
      );
    });
    await system.kill('credential-vault');
    await ask('POST', `/api/v1/apps/${app.id}/verify`);
    await notedInbound(app.webhook_url, body, hmac(secret, body));
    await system.restart('credential-vault');
  });

  it('reaches an adapter, also with a wrong signature', async () => {
    const adapter = (
      await ask<Schema<'AdapterView'>>('POST', '/api/v1/adapters', { url: `${system.origin('adapters')}/generic` })
    ).json;
    const secret = plant('adapter signing_secret');
    const fields = { signing_secret: secret, token: plant('adapter token') };
    const credential_id = await created({ name: 'generic', type: 'text', adapter_slug: 'generic', fields });
    const app = await install({ name: 'generic', kind: 'adapter', adapter_id: adapter.id, credential_id });
    await ask('PUT', `/api/v1/channels/${app.id}`, { unknown_senders: 'open' });
    await ask('POST', `/api/v1/apps/${app.id}/verify`);
    await ask('POST', `${credentials}/${credential_id}/verify`);
    const body = JSON.stringify({ message: 'hello', id: '1', reply_to: `${sink.url}/adapter` });
    const { id } = await notedInbound(app.webhook_url, body, hmac(secret, body));
    await system.ended(id);
    await until('a reply by the adapter arrives', () => sink.arrivals.some(({ path }) => path === '/adapter'));
    const refused = await notedInbound(app.webhook_url, body.replace('"1"', '"2"'), hmac('another', body));
    if (refused.id) await system.ended(refused.id);
    answers.push(JSON.stringify((await ask('GET', '/api/v1/events')).json));
  });

  it('is in no log, Redis command, row or answer, and is sent only to where it belongs', async () => {
    const places = {
      logs: system.logs(),
      redis: commands?.text() ?? '',
      postgres: await everyRow(system.databaseUrl),
      answers: answers.join('\n'),
      sink: JSON.stringify(sink.arrivals),
    };
    // Proves that each place was really searched: it contains what it should.
    expect(places.logs).toContain('credential.undecryptable');
    expect(places.redis).toContain('inbound');
    expect(places.postgres).toContain('signing_secret');
    expect(places.answers).toContain('credential_in_use');
    expect(canaries.planted()).toBeGreaterThan(20);
    expect(Object.entries(places).map(([place, text]) => [place, canaries.foundIn(text)])).toEqual(
      // The generic adapter authenticates to its reply address, and only there does its token belong.
      Object.keys(places).map((place) => [place, place === 'sink' ? ['adapter token'] : []]),
    );
  });
});
