import type { Json } from '#libs/testing';
import type { AppView } from './app-view.dto.js';
import { type GatewayWorld, startGateway } from '../../testing/gateway-world.js';

let world: GatewayWorld;
let app: Json<AppView> & { webhook_token: string };

beforeAll(async () => {
  world = await startGateway({});
  const { body } = await world.call('POST', 'apps', { name: 'Hook', kind: 'builtin' });
  app = { ...body, webhook_token: body.webhook_token ?? 'none' };
});
afterAll(() => world.close());

it('the URL of a webhook is shown to whoever manages its App, and others are shown why they do not see it', async () => {
  expect(app).toMatchObject({ webhook_url: expect.stringContaining(app.webhook_token), webhook_hidden: null });
  const reader = { scopes: ['apps:read' as const] };
  const [one, list] = [
    await world.call('GET', `apps/${app.id}`, undefined, reader),
    await world.call('GET', 'apps', undefined, reader),
  ];
  for (const view of [one.body, list.body.data[0]]) {
    const { webhook_url, webhook_path, webhook_token, webhook_hidden } = view ?? {};
    expect({ webhook_url, webhook_path, webhook_token, webhook_hidden }).toEqual({
      webhook_url: null,
      webhook_path: null,
      webhook_token: null,
      webhook_hidden: 'needs_apps_write',
    });
  }
  expect(JSON.stringify([one.body, list.body])).not.toContain(app.webhook_token);
  const writer = await world.call('GET', `apps/${app.id}`, undefined, { scopes: ['apps:write'] });
  expect(writer.body.webhook_url).toBe(app.webhook_url);
});

it('the token is nowhere in the database', async () => {
  const { rows } = await world.pool.query<{ row: string }>('SELECT t::text AS row FROM gateway.app t');
  expect(rows.length).toBe(1);
  const text = JSON.stringify(rows);
  expect(text).not.toContain(app.webhook_token);
  expect(text).not.toContain(Buffer.from(app.webhook_token).toString('hex'));
});

it('without the key that sealed it, the URL still works and is not shown, until a rotation creates another', async () => {
  const { rows } = await world.pool.query<{ token_hash: string }>('SELECT token_hash FROM gateway.app');
  await world.pool.query(
    `UPDATE gateway.app SET sealed_token = set_byte(sealed_token, 20, get_byte(sealed_token, 20) # 1)`,
  );
  const { body } = await world.call('GET', `apps/${app.id}`);
  expect([body.webhook_url, body.webhook_hidden]).toEqual([null, 'sealed_with_another_key']);
  const { endpoints } = (await world.internal('GET', 'endpoints?after=0')).body;
  expect(endpoints[0]?.token_hash).toBe(rows[0]?.token_hash);
  const rotated = (await world.call('POST', `apps/${app.id}/rotate-token`, {})).body;
  expect([rotated.webhook_hidden, typeof rotated.webhook_url]).toEqual([null, 'string']);
});

it.each([
  [{ scheme: 'hmac', signed_text: '{timestamp}.{body}' }, 'signature_options'],
  [{ scheme: 'hmac', tolerance_seconds: 60 }, 'signature_options'],
  [{ scheme: 'standard-webhooks', timestamp_header: 'x' }, 'signature_options'],
  [{ scheme: 'hmac', timestamp_header: 'x', signed_text: '{body}' }, 'signature_options'],
  [{ scheme: 'hmac', timestamp_header: 'x', signed_text: '{timestamp}' }, 'signature_options'],
  [{ scheme: 'hmac', signed_text: '{url}' }, 'signature_options'],
  [{ scheme: 'hmac', signed_text: '{body}{body}' }, 'signature_options'],
  [{ scheme: 'hmac', signed_text: '{body}{nothing}' }, 'signature_options'],
  [{ scheme: 'hmac', header: 'x', pointer: '/signature' }, 'signature_options'],
  [{ scheme: 'secret', signed_text: '{body}' }, 'signature_options'],
  [{ scheme: 'standard-webhooks', header: 'x-hook' }, 'signature_options'],
  [{ scheme: 'hmac', timestamp_header: 'x', tolerance_seconds: 0 }, 'invalid_fields'],
])('signature settings that would have no effect are refused: %j', async (signature, code) => {
  const { status, body } = await world.call('PATCH', `apps/${app.id}`, { signature });
  expect([status, body.code]).toEqual([422, code]);
});

it('the ingress learns which timestamp a signature carries', async () => {
  const signature = { scheme: 'hmac', timestamp_header: 'X-Timestamp', tolerance_seconds: 60 };
  const { body } = await world.call('PATCH', `apps/${app.id}`, { signature });
  expect(body.signature).toMatchObject({ timestamp_header: 'x-timestamp', tolerance_seconds: 60 });
  const { endpoints } = (await world.internal('GET', 'endpoints?after=0')).body;
  expect(endpoints[0]?.verification).toMatchObject({ timestamp_header: 'x-timestamp', tolerance_seconds: 60 });
});
