import { newId } from '#libs/contracts';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type RouterWorld, routerWorld } from '../../testing/router-world.js';

const apps = new Map([
  [newId('app'), 'builtin'],
  [newId('app'), 'adapter'],
]);
const [hook = '', chat = ''] = [...apps.keys()];
let gateway: Server;
let world: RouterWorld;

beforeAll(async () => {
  gateway = createServer((request, response) => {
    const id = /\/internal\/apps\/([^/]*)/.exec(request.url ?? '')?.[1] ?? '';
    const kind = apps.get(id);
    const body = kind
      ? { id, kind, name: 'Chat' }
      : { code: 'app_not_found', detail: `There is no app ${id} in this project.` };
    response.writeHead(kind ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  world = await routerWorld();
  await world.start({ GATEWAY_URL: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}` });
});
afterAll(async () => {
  await world.close();
  gateway.close();
  gateway.closeAllConnections();
});

const read = (id: string) => world.call<Record<string, unknown>>('GET', `channels/${id}`);

describe('the channel of an App', () => {
  it('shows the defaults in force where nobody has set it up', async () => {
    const common = {
      agent_id: null,
      route_policy: 'both',
      reply_address: null,
      session_scope: 'thread',
      updated_at: null,
    };
    expect((await read(chat)).body).toMatchObject({ ...common, unknown_senders: 'hold', inbox_mode: 'collect' });
    expect((await read(hook)).body).toMatchObject({ ...common, unknown_senders: null, inbox_mode: 'queue' });
  });

  it('is edited with the tag of its defaults', async () => {
    const etag = (await read(chat)).headers.get('etag') ?? '';
    const set = (): Promise<{ status: number }> =>
      world.call('PUT', `channels/${chat}`, { route_policy: 'triggers' }, { headers: { 'if-match': etag } });
    expect([(await set()).status, (await set()).status]).toEqual([200, 412]);
    expect((await read(chat)).body).toMatchObject({ route_policy: 'triggers', updated_at: expect.any(String) });
  });

  it('keeps, when changed, what the change leaves out, also what another change sets meanwhile', async () => {
    const path = `channels/${hook}`;
    const patch = (body: object, headers = {}) => world.call<Record<string, unknown>>('PATCH', path, body, { headers });
    const before = (await read(hook)).body;
    const [policy, scope] = await Promise.all([
      patch({ route_policy: 'triggers' }),
      patch({ session_scope: 'contact', failure_notice: null, limit_notice: 'Bis {until}' }),
    ]);
    expect([policy.status, scope.status]).toEqual([200, 200]);
    const changed = {
      route_policy: 'triggers',
      session_scope: 'contact',
      failure_notice: null,
      limit_notice: 'Bis {until}',
    };
    const { updated_at: _at, warnings: _before, ...settings } = before;
    const warnings = [expect.objectContaining({ code: 'no_trigger' })];
    const updated = { ...settings, ...changed, updated_at: expect.any(String), warnings };
    expect((await read(hook)).body).toEqual(updated);
    const etag = (await read(hook)).headers.get('etag') ?? '';
    const idle = (minutes: number) => patch({ idle_reset_minutes: minutes }, { 'if-match': etag });
    expect([(await idle(5)).status, (await idle(6)).status]).toEqual([200, 412]);
    expect((await read(hook)).body).toMatchObject({ ...changed, idle_reset_minutes: 5, inbox_mode: 'queue' });
    expect((await patch({ idle_reset_minutes: null })).body).toMatchObject({ ...changed, idle_reset_minutes: null });
  });

  it('says which settings have no effect, since no message reaches an agent', async () => {
    const put = async (body: object) => {
      const answer = await world.call<{ notes: string[] }>('PUT', `channels/${hook}`, body);
      return answer.body.notes;
    };
    expect(await put({ agent_id: null, route_policy: 'both' })).toEqual([]);
    expect(await put({ agent_id: null, route_policy: 'triggers' })).toEqual([]);
    const notes = await put({ route_policy: 'triggers', bots: 'chief_of_staff', daily_reset_hour: 4 });
    expect(notes).toEqual([
      expect.stringMatching(/^bots has no effect: route_policy is triggers, .* Set route_policy to both/),
      expect.stringContaining('daily_reset_hour has no effect'),
    ]);
    expect((await read(hook)).body.notes).toEqual(notes);
    expect(await put({ reply_address: 'https://example.com/replies' })).toEqual([]);
  });

  it('says, when it is left to triggers, which messages reach nobody from then on', async () => {
    type Warned = { warnings: { code: string; message: string }[] };
    const set = async (id: string, route_policy: string) => {
      const { body, headers } = await world.call<Warned>('PATCH', `channels/${id}`, { route_policy });
      const codes = body.warnings.map(({ code }) => code);
      return { codes, warnings: body.warnings, etag: headers.get('etag') };
    };
    expect((await set(chat, 'both')).codes).toEqual([]);
    const alone = await set(chat, 'triggers');
    expect(alone.warnings).toEqual([
      { code: 'no_trigger', message: expect.stringContaining(`no active trigger names the App`) },
      {
        code: 'messages_without_event_type',
        message: expect.stringMatching(/Chat that has no event_type .* reaches nobody.* had no message so far/),
      },
    ]);
    expect((await read(chat)).body['warnings']).toEqual(alone.warnings);
    expect((await set(hook, 'triggers')).codes).toEqual(['no_trigger']);
    const workflow = await world.call<{ id: number }>('POST', 'workflows', { name: 'w', instructions: 'do' });
    await world.call('POST', 'triggers', { app_id: chat, workflow_id: workflow.body.id });
    const listened = await set(chat, 'triggers');
    expect(listened.codes).toEqual(['messages_without_event_type']);
    expect((await read(chat)).headers.get('etag')).toBe(listened.etag);
  });

  it.each(['PUT', 'PATCH'])('is left as it is by a %s that names no setting, which says so', async (method) => {
    const before = await read(hook);
    const answer = await world.call(method, `channels/${hook}`, {});
    expect(answer).toMatchObject({ status: 422, body: { code: 'nothing_to_change' } });
    expect((await read(hook)).headers.get('etag')).toBe(before.headers.get('etag'));
    const unknown = await world.call(method, `channels/${hook}`, { routepolicy: 'both' });
    expect(unknown).toMatchObject({ status: 422, body: { errors: [{ field: 'routepolicy' }] } });
  });

  it('says for how long a reply is worth sending, and takes that back', async () => {
    const path = `channels/${chat}`;
    const ttl = (reply_ttl_seconds: unknown) => world.call('PATCH', path, { reply_ttl_seconds });
    expect((await ttl(600)).body).toMatchObject({ reply_ttl_seconds: 600 });
    for (const wrong of [0, -1, 1.5, '60', 2_592_001]) {
      expect(await ttl(wrong)).toMatchObject({ status: 422, body: { errors: [{ field: 'reply_ttl_seconds' }] } });
    }
    expect((await read(chat)).body).toMatchObject({ reply_ttl_seconds: 600 });
    expect((await ttl(null)).body).toMatchObject({ reply_ttl_seconds: null });
    await ttl(60);
    expect((await world.call('PUT', path, { route_policy: 'both' })).body).toMatchObject({ reply_ttl_seconds: null });
  });

  it('is changed only for an App that exists', async () => {
    const change = await world.call('PATCH', `channels/${newId('app')}`, { route_policy: 'both' });
    expect(change).toMatchObject({ status: 404, body: { code: 'app_not_found' } });
  });

  it('is not found for an App that does not exist', async () => {
    for (const id of [newId('app'), 'app_1', 'nonsense']) {
      expect(await read(id)).toMatchObject({ status: 404, body: { code: 'app_not_found' } });
    }
  });
});
