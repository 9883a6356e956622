import { pythonSource, type RegistryWorld, startRegistry } from '../testing/registry-world.js';

let registry: RegistryWorld;

beforeAll(async () => {
  registry = await startRegistry();
});
afterAll(() => registry.close());

const create = async (body: object) => (await registry.call('POST', 'skills', body)).body;
const toolset = async (skillIds: string[], toolIds: string[] = []) =>
  (await registry.internal('GET', `toolsets?skill_ids=${skillIds.join()}&tool_ids=${toolIds.join()}&agent_id=agt_1`))
    .body;
const createTool = async (source: string) => (await registry.call('POST', 'tools', { source })).body;

describe('a Python tool', () => {
  it('is refused with each error at its line', async () => {
    const compile = registry.fake.compile;
    registry.fake.compile = () => ({
      ok: false,
      errors: [{ line: 3, column: 5, message: 'no hint', code: 'missing_hint' }],
    });
    const { status, body } = await registry.call('POST', 'tools', { source: 'def f(x): pass' });
    registry.fake.compile = compile;
    expect({ status, errors: body.errors }).toEqual({
      status: 422,
      errors: [{ field: 'source:3:5', message: 'no hint (missing_hint)' }],
    });
  });

  it('gets a new pin when its source changes, and a grade by what it reaches', async () => {
    const tool = await createTool(pythonSource('ping'));
    const saved = await registry.call('PUT', `tools/${tool.id}/source`, {
      source: pythonSource('ping', 'http_request()'),
    });
    expect(saved.body).toMatchObject({ grade: 'write', idempotent: false });
    expect(saved.body.pin).not.toBe(tool.pin);
    expect((await registry.call('POST', 'tools', { source: pythonSource('ping') })).body.code).toBe('name_taken');
    const set = await toolset([], [tool.id]);
    expect(set.tools).toMatchObject([{ model_name: 'agent__ping', skill_id: null, pin: saved.body.pin }]);
  });

  it('stays while a Skill has it', async () => {
    const tool = await createTool(pythonSource('kept'));
    const skill = await create({ name: 'Keeper', tools: [{ tool: tool.id }] });
    const refused = await registry.call('DELETE', `tools/${tool.id}`);
    expect(refused.body).toMatchObject({ code: 'tool_in_use', detail: expect.stringContaining('Skill Keeper') });
    await registry.call('DELETE', `skills/${skill.id}`);
    expect((await registry.call('DELETE', `tools/${tool.id}`)).status).toBe(204);
  });
});

describe('the catalogue', () => {
  it('has the built-in tools beside the others', async () => {
    const { body } = await registry.call('GET', 'tools?source=builtin');
    expect(body.data.map((one) => one.id)).toContain('builtin:http_request');
    expect((await registry.call('GET', 'tools/builtin:web_search')).body).toMatchObject({ grade: 'read' });
  });
});
