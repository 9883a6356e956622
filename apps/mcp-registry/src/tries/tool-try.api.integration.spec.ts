import type { Json } from '#libs/testing';
import { type RegistryWorld, startRegistry } from '../testing/registry-world.js';
import type { ToolView } from '../tools/tool.dto.js';

describe('a Python tool tried by hand', () => {
  let registry: RegistryWorld;
  let tool: Json<ToolView>;
  const source = 'def rates(day: str) -> int:\n    "Rates."\n    return http_request("GET", day)\n';

  beforeAll(async () => {
    registry = await startRegistry();
    registry.fake.credentials.set('cred_a', { token: 'secret-value' });
    tool = (await registry.call('POST', 'tools', { source })).body;
  });
  afterAll(() => registry.close());

  const attempt = (body: object, as?: object) => registry.call('POST', `tools/${tool.id}/try`, body, as);
  const records = async () => (await registry.call('GET', `tools/${tool.id}/calls`)).body.data;

  it('is run by the engine as it is saved, and leaves a record', async () => {
    registry.fake.tried = { ok: true, result: 7, stdout: 'x', truncated: false, duration_ms: 3 };
    const { status, body } = await attempt({ arguments: { day: 'today' }, timeout_ms: 500 });
    expect({ status, body }).toEqual({ status: 200, body: registry.fake.tried });
    const asked = registry.fake.asked.at(-1);
    expect(asked).toMatchObject({
      path: '/internal/python-tries',
      body: {
        tool_id: tool.id,
        grade: 'write',
        python: { source, function: 'rates' },
        arguments: { day: 'today' },
        timeout_ms: 500,
        credential_bindings: [],
      },
    });
    expect(await records()).toMatchObject([
      {
        call_id: asked?.body['call_id'],
        caller: 'key:test',
        outcome: 'ok',
        pin: tool.pin,
        server_id: null,
        result_bytes: 1,
      },
    ]);
  });

  it('reports an error at its line, and an engine that does not answer', async () => {
    registry.fake.tried = { ok: false, error: 'exception', message: 'KeyError: 1 (line 3)', stdout: '', line: 3 };
    expect((await attempt({ arguments: { day: 'x' } })).body).toEqual(registry.fake.tried);
    registry.fake.tried = null;
    const { status, body } = await attempt({ arguments: { day: 'x' } });
    expect({ status, body }).toMatchObject({ status: 200, body: { ok: false, error: 'runner_busy' } });
    expect((await records()).map((one) => one.outcome)).toEqual(['runner_busy', 'exception', 'ok']);
  });

  it('uses the credentials of a Skill that has it, with the rights on those', async () => {
    const credentials = [{ credential_id: 'cred_a', as: 'bank' }];
    const skill = (await registry.call('POST', 'skills', { name: 'Bank', tools: [{ tool: tool.id }], credentials }))
      .body;
    const other = (await registry.call('POST', 'skills', { name: 'Other', credentials })).body;
    registry.fake.tried = { ok: true, result: 1, stdout: '', truncated: false, duration_ms: 1 };
    await attempt({ arguments: {}, skill_id: skill.id });
    expect(registry.fake.asked.at(-1)?.body['credential_bindings']).toEqual([
      { credential_id: 'cred_a', as: 'bank', skill_id: skill.id },
    ]);
    const before = registry.fake.asked.length;
    const unfit = await attempt({ arguments: {}, skill_id: other.id });
    expect(unfit).toMatchObject({ status: 422, body: { errors: [{ field: 'skill_id' }] } });
    const rightless = await attempt({ arguments: {}, skill_id: skill.id }, { scopes: ['tools:write'] });
    expect(rightless).toMatchObject({ status: 403, body: { code: 'scope_missing' } });
    expect(registry.fake.asked).toHaveLength(before);
  });

  it('must belong to this project, and must not be built in', async () => {
    expect((await attempt({ arguments: {} }, { projectId: 'prj_other' })).status).toBe(404);
    const builtin = await registry.call('POST', 'tools/builtin:http_request/try', { arguments: {} });
    expect(builtin).toMatchObject({ status: 409, body: { code: 'built_in' } });
  });
});
