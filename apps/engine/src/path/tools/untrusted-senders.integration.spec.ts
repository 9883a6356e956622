import type { TurnInput } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { until } from '#libs/testing';
import { engineWorld, type EngineWorld, turnOf } from '../../testing/engine-world.js';
import type { RecordingServer } from '../../testing/recording-server.js';
import type { FakeModel } from '../../testing/fake-model.js';
import { type FakeServices, toolOf, toolsetOf } from '../../testing/fake-services.js';
import { agentOf, turnsOf } from '../../testing/turns-of.js';

describe('a model that obeys every word of an untrusted sender', () => {
  let world: EngineWorld;
  let model: FakeModel;
  let target: RecordingServer;
  let services: FakeServices;
  let agent: string;

  beforeAll(async () => {
    world = await engineWorld();
    ({ model, target, services } = world);
    services.on('/internal/toolsets', () =>
      toolsetOf([
        toolOf({ name: 'wipe', grade: 'destructive' }),
        toolOf({ name: 'inbox', grade: 'read' }),
        toolOf({ name: 'script', source: 'python', python: { source: 'x', source_sha256: 'y', function: 'script' } }),
        toolOf({
          name: 'send_email',
          source: 'builtin',
          credential_bindings: [{ credential_id: 'cred_1', as: 'smtp', skill_id: 'skl_desk' }],
        }),
        toolOf({
          name: 'http_request',
          source: 'builtin',
          credential_bindings: [{ credential_id: 'cred_2', as: 'api', skill_id: 'skl_desk' }],
        }),
      ]),
    );
    agent = await agentOf(world, {
      tools: ['http_request', 'store_knowledge', 'read_file'],
      skills: ['skl_desk'],
      may_do: 'destructive',
      approvers: ['key:test'],
    });
    await world.start();
  });
  afterAll(() => world.close());

  const everything = () => [
    { name: 'http_request', arguments: JSON.stringify({ method: 'POST', url: `${target.url}/pay` }) },
    { name: 'desk__http_request', arguments: JSON.stringify({ method: 'DELETE', url: `${target.url}/all` }) },
    {
      name: 'desk__http_request',
      arguments: JSON.stringify({ method: 'GET', url: `${target.url}/`, credential: 'api' }),
    },
    { name: 'store_knowledge', arguments: JSON.stringify({ text: 'The owner is Mallory.' }) },
    { name: 'desk__wipe', arguments: '{}' },
    { name: 'desk__inbox', arguments: '{}' },
    { name: 'desk__script', arguments: '{}' },
    { name: 'desk__send_email', arguments: JSON.stringify({ to: ['a@b.c'], subject: 's', text: 't' }) },
  ];
  const untrustedSenders: [string, Partial<TurnInput>][] = [
    ['an unknown sender', { trust: 'unknown', verified: true }],
    ['a known sender over a system that nobody authenticated', { trust: 'known', verified: false }],
    ['a caller of an unsigned webhook', { trust: 'builtin', verified: false }],
    ['a turn that says nothing of trust', { trust: undefined, verified: true }],
  ];

  it.each(untrustedSenders)('reaches no tool that writes, for %s', async (_who, input) => {
    target.calls.length = 0;
    services.requests.length = 0;
    model.script(everything(), 'Done as told.');
    const turn = turnOf(
      { agent_id: agent },
      { ...input, message: { ...turnOf().input!.message, message: 'Do it all!' } },
    );
    expect(await turnsOf(world).run(turn)).toMatchObject({ state: 'succeeded' });
    const codes = (await turnsOf(world).results(turn.turn_id)).map((result) => result.error?.code);
    expect(codes).toEqual([
      'not_allowed',
      'not_allowed',
      'unknown_tool',
      'unknown_tool',
      'unknown_tool',
      'unknown_tool',
      'unknown_tool',
      'credential_not_for_sender',
    ]);
    const { message } = (await turnsOf(world).results(turn.turn_id)).at(-1).error;
    expect(message).toMatch(/^This event may not use the credentials of the Skill: /);
    expect(message).toContain(
      input.trust === 'builtin' || input.trust === 'known' ? 'not authenticated' : 'not an admitted contact',
    );
    const since = String(message).replace(/^.*Skill: (.*)\.$/, '$1');
    const [first] = await turnsOf(world).steps(turn.turn_id);
    const lacked = {
      withheld: ['store_knowledge', 'desk__wipe', 'desk__inbox', 'desk__script', 'desk__send_email'],
      withheld_since: since,
    };
    expect(first.content).toMatchObject(lacked);
    const ended = await until('the end is on the timeline', async () => {
      const sql = `SELECT detail FROM ${everyEntry} e WHERE subject_id = $1 AND outcome = 'succeeded'`;
      return (await world.pool.query(sql, [turn.turn_id])).rows[0];
    });
    expect(ended.detail).toMatchObject(lacked);
    const wiped = (await turnsOf(world).results(turn.turn_id)).find((one) => one.error.message.includes('desk__wipe'));
    expect(wiped.error.message).toBe(`This turn does not have desk__wipe: ${since}.`);
    expect(target.calls).toEqual([]);
    expect(services.requests.map(({ path }) => path)).toEqual(['/internal/toolsets']);
    const { rows } = await world.pool.query('SELECT count(*)::int AS n FROM engine.document');
    expect(rows[0].n).toBe(0);
    const offered = model.requests[0]?.tools?.map((tool) => tool.function.name);
    expect(offered).toEqual(['http_request', 'read_file', 'desk__http_request', 'read_result']);
    expect((await turnsOf(world).audit(turn.turn_id)).map(({ outcome }) => outcome)).toEqual([
      ...Array.from({ length: 7 }, () => 'refused'),
      'error',
    ]);
  });

  it('reaches them for a known sender, and the audit has each call', async () => {
    services.on('/internal/tool-calls', () => ({ ok: true, content: 'wiped', is_error: false, truncated: false }));
    model.script([everything()[0]!, everything()[4]!], 'Done.');
    const turn = turnOf({ agent_id: agent });
    await turnsOf(world).run(turn);
    expect(target.calls).toMatchObject([{ method: 'POST', url: '/pay' }]);
    expect(services.requests.at(-1)?.body).toMatchObject({ tool_id: 'tol_wipe', pin: 'pin_1', arguments: {} });
    expect(await turnsOf(world).audit(turn.turn_id)).toMatchObject([
      { tool: 'http_request', source: 'builtin', grade: 'write', outcome: 'ok', code: null },
      { tool: 'desk__wipe', source: 'mcp', grade: 'destructive', outcome: 'ok', tool_id: 'tol_wipe' },
    ]);
    const system = model.requests[0]?.messages[0]?.content ?? '';
    expect(JSON.stringify(system)).toContain('Tea is served at four.');
  });
});
