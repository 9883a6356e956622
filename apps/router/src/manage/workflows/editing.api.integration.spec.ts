import { ServiceTokens } from '#libs/service-kit';
import { testServiceKey } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { caller, type RouterWorld, routerWorld } from '../../testing/router-world.js';
import type { TriggerRow, WorkflowRow } from '../../entities/rules.entity.js';

let world: RouterWorld;
let routers: NestFastifyApplication[];

beforeAll(async () => {
  world = await routerWorld();
  routers = [await world.start(), await world.start()];
});
afterAll(() => world.close());

const workflow = async () => (await world.call<WorkflowRow>('POST', 'workflows', { name: 'w' })).body;
const tagOf = async (path: string) => (await world.call('GET', path)).headers.get('etag') ?? '';
const patch = (path: string, body: object, ifMatch?: string) =>
  world.call<WorkflowRow & { code?: string }>('PATCH', path, body, {
    headers: ifMatch === undefined ? {} : { 'if-match': ifMatch },
  });

describe('an edit with If-Match', () => {
  it('changes what is still as it was read, and its answer has the new tag', async () => {
    const path = `workflows/${(await workflow()).id}`;
    const tag = await tagOf(path);
    expect(tag).toMatch(/^"[\w-]{27}"$/);
    const changed = await patch(path, { name: 'x' }, `"other", ${tag}`);
    expect([changed.status, changed.body.name]).toEqual([200, 'x']);
    expect(changed.headers.get('etag')).toBe(await tagOf(path));
    expect(changed.headers.get('etag')).not.toBe(tag);
  });

  it('changes nothing with a stale, weak or invalid tag', async () => {
    const path = `workflows/${(await workflow()).id}`;
    const tag = await tagOf(path);
    await patch(path, { name: 'theirs' });
    const tags = [tag, `W/${await tagOf(path)}`, 'nonsense', ''];
    for (const old of tags) {
      expect(await patch(path, { name: 'mine' }, old)).toMatchObject({ status: 412, body: { code: 'changed_since' } });
    }
    expect((await world.call<WorkflowRow>('GET', path)).body.name).toBe('theirs');
    expect((await patch(path, { name: 'mine' }, '*')).status).toBe(200);
    expect((await patch('workflows/999', { name: 'mine' }, '*')).status).toBe(404);
  });

  it('succeeds for one of many with the same tag, over all replicas', async () => {
    const path = `workflows/${(await workflow()).id}`;
    const tag = await tagOf(path);
    const token = await new ServiceTokens(testServiceKey, 'router').mint('router', caller);
    const headers = { authorization: `Bearer ${token}`, 'if-match': tag };
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, n) =>
        routers[n % 2]!.inject({ method: 'PATCH', url: `/api/v1/${path}`, headers, payload: { name: `n${n}` } }),
      ),
    );
    const won = answers.filter(({ statusCode }) => statusCode === 200);
    expect(won).toHaveLength(1);
    expect(answers.filter(({ statusCode }) => statusCode === 412)).toHaveLength(23);
    expect((await world.call<WorkflowRow>('GET', path)).body.name).toBe(won[0]?.json().name);
  });

  it('changes a trigger once as well, and another edit with its old tag is 412', async () => {
    const made = { app_id: 'app_1', workflow_id: (await workflow()).id };
    const { id } = (await world.call<TriggerRow>('POST', 'triggers', made)).body;
    const path = `triggers/${id}`;
    const tag = await tagOf(path);
    const changed = await patch(path, { limit_per_minute: 5 }, tag);
    expect([changed.status, changed.headers.get('etag')]).toEqual([200, await tagOf(path)]);
    expect((await patch(path, { limit_per_minute: 6 }, tag)).status).toBe(412);
  });
});

describe('the output schema of a workflow', () => {
  const schema = { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] };

  it('is stored, changed and removed, and goes to the engine with a run', async () => {
    const made = await world.call<WorkflowRow>('POST', 'workflows', { name: 'w', output_schema: schema });
    expect(made.body.output_schema).toEqual(schema);
    const path = `workflows/${made.body.id}`;
    await world.call('POST', `${path}/runs`, { message: 'how much?' });
    const [message] = await world.messages('ORDER BY id DESC LIMIT 1');
    expect(message?.turns[0]).toMatchObject({ run: { workflow_id: made.body.id } });
    expect(message?.turns[0]?.input.output_schema).toEqual(schema);
    expect((await patch(path, { output_schema: null })).body.output_schema).toBeNull();
  });

  it.each<[unknown, string]>([
    [{ type: 'array' }, 'must be "object"'],
    [{ type: 'object', properties: { a: { type: 'strng' } } }, 'no JSON Schema'],
    [{ type: 'object', properties: { a: { $ref: 'https://example.com/a.json' } } }, 'no JSON Schema'],
    [{ type: 'object', description: 'x'.repeat(20_000) }, 'at most 20000'],
    ['{}', 'must be an object'],
  ])('%j is refused: %s', async (output_schema, words) => {
    for (const [method, path] of [
      ['POST', 'workflows'],
      ['PATCH', `workflows/${(await workflow()).id}`],
    ]) {
      const answer = await world.call(method as 'POST', path as string, { name: 'w', output_schema });
      expect(answer).toMatchObject({
        status: 422,
        body: { code: 'invalid_fields', errors: [{ field: 'output_schema', message: expect.stringContaining(words) }] },
      });
    }
  });
});
