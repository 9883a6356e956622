import { until } from '#libs/testing';
import { endpoint } from '../../testing/fake-gateway.js';
import { type IngressWorld, openIngress } from '../../testing/ingress-world.js';

let world: IngressWorld;

beforeAll(async () => {
  const endpoints = [endpoint('hook', { kind: 'builtin', verification: 'none', credentials: [] })];
  world = await openIngress({ endpoints });
  // No router answers: whatever is refused here is refused for its content.
  await world.start({ ROUTER_URL: 'http://127.0.0.1:9' });
});
afterAll(() => world.close());

async function send(
  body: string | Buffer,
  type: string | null = 'application/json',
): Promise<{ status: number; error?: string; message?: string }> {
  const headers: Record<string, string> = type === null ? {} : { 'content-type': type };
  const answer = await fetch(`${world.url}/api/v1/webhooks/hook`, {
    method: 'POST',
    headers,
    body: body as string | Buffer<ArrayBuffer>,
  });
  return { status: answer.status, ...((await answer.json()) as object) };
}
const refusals = async (code: string): Promise<number> =>
  (await world.query('SELECT FROM ingress.refusal WHERE code = $1', [code])).length;
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
    'multipart/form-data',
    'multipart/mixed; boundary=b',
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

  it('that is a form, or empty, is accepted', async () => {
    expect((await send('id=tr_7&a=%7B%22b%22%3A1%7D', 'application/x-www-form-urlencoded; charset=utf-8')).status).toBe(
      200,
    );
    expect((await send('workflow_id=7', 'application/x-www-form-urlencoded')).status).toBe(200);
    const part = '--b\r\nContent-Disposition: form-data; name="id"\r\n\r\ntr_7\r\n--b--\r\n';
    expect((await send(part, 'multipart/form-data; boundary=b')).status).toBe(200);
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
