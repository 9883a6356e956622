import { createService } from '#libs/service-kit';
import { testDatabase, type TestDatabase, until } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import pg from 'pg';
import { ingressService } from '../../service.js';
import { endpoint, type FakeGateway, fakeGateway } from '../../testing/fake-gateway.js';
import { ingressSettings } from '../../testing/ingress-settings.js';

let database: TestDatabase;
let gateway: FakeGateway;
let service: NestFastifyApplication;
let rows: pg.Client;
let url: string;

beforeAll(async () => {
  database = await testDatabase();
  gateway = await fakeGateway();
  gateway.endpoints = [endpoint('hook', { kind: 'builtin', verification: 'none', credentials: [] })];
  // No router answers: whatever is refused here is refused for its content.
  const settings = ingressSettings(database.url, gateway.url, { ROUTER_URL: 'http://127.0.0.1:9' });
  service = await createService(ingressService(settings));
  await service.listen(0, '127.0.0.1');
  url = `${await service.getUrl()}/api/v1/webhooks/hook`;
  rows = new pg.Client({ connectionString: database.url });
  await rows.connect();
});
afterAll(async () => {
  await rows.end();
  await service.close();
  await gateway.close();
  await database.drop();
});

async function send(
  body: string | Buffer,
  type: string | null = 'application/json',
): Promise<{ status: number; error?: string; message?: string }> {
  const headers: Record<string, string> = type === null ? {} : { 'content-type': type };
  const answer = await fetch(url, { method: 'POST', headers, body: body as string | Buffer<ArrayBuffer> });
  return { status: answer.status, ...((await answer.json()) as object) };
}
const refusals = (code: string): Promise<number> =>
  rows
    .query('SELECT count(*)::int AS n FROM ingress.refusal WHERE code = $1', [code])
    .then(({ rows: [row] }) => (row as { n: number }).n);
const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

describe('a body of the built-in Webhook app', () => {
  it.each([
    'application/json;charset=utf-8',
    'Application/JSON ; Charset="UTF-8"',
    'application/cloudevents+json; charset=UTF-8',
    'application/vnd.github.v3+json',
    'application/ld+json',
    'text/json',
    'model/gltf+json',
  ])('may be of each type that is JSON: %s', async (type) => {
    expect((await send('{"task":"a"}', type)).status).toBe(200);
  });

  it.each([
    'text/plain; charset=UTF-8',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'xapplication/json',
    'a/b+jsonx',
    'json',
    null,
  ])('of type %s is refused, with the type to send', async (type) => {
    const message = expect.stringContaining('Content-Type: application/json');
    expect(await send(Buffer.from('{"task":"a"}'), type)).toMatchObject({
      status: 415,
      error: 'unsupported_media_type',
      message,
    });
  });

  it('may be a form, or nothing at all', async () => {
    expect((await send('id=tr_7&a=%7B%22b%22%3A1%7D', 'application/x-www-form-urlencoded; charset=utf-8')).status).toBe(
      200,
    );
    expect((await send('workflow_id=7', 'application/x-www-form-urlencoded')).status).toBe(200);
    expect((await send(Buffer.alloc(0), null)).status).toBe(200);
  });

  it('may be nested up to a limit, and is refused with that reason beyond it', async () => {
    expect((await send(nested(100))).status).toBe(200);
    for (const body of [nested(101), nested(5_000), `{"metadata":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`]) {
      expect(await send(body)).toMatchObject({ status: 422, error: 'too_deep', message: /over 100 levels/ });
    }
    await until('the refusals are kept', async () => (await refusals('too_deep')) === 3);
  });

  it.each([
    ['2147483648', 'workflow_id is too large: the maximum is 2147483647.'],
    ['9007199254740993', 'workflow_id is too large: the maximum is 2147483647.'],
    ['1e400', 'workflow_id is too large: the maximum is 2147483647.'],
    ['0', 'workflow_id is too small: workflows are numbered from 1.'],
    ['1.5', 'workflow_id must be an integer, not 1.5.'],
    ['"7"', 'workflow_id must be an integer, not text.'],
    ['[7]', 'workflow_id must be an integer, not a list.'],
  ])('whose workflow_id is %s is refused with the reason', async (id, message) => {
    expect(await send(`{"workflow_id":${id}}`)).toMatchObject({ status: 422, error: 'invalid_workflow_id', message });
  });

  it.each([
    ['a byte order mark', Buffer.from('\ufeff{"task":"hello"}')],
    ['U+0000', '{"task":"a\\u0000b"}'],
    ['a lone surrogate', '{"task":"a\\ud800b"}'],
    ['no workflow', '{"workflow_id":null}'],
  ])('with %s is stored', async (_what, body) => {
    expect((await send(body)).status).toBe(200);
  });
});
