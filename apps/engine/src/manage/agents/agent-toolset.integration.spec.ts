import { type EngineWorld, engineWorld, rehearsal } from '../../testing/engine-world.js';
import type { Toolset } from '#libs/contracts';
import { type RecordedRequest, type FakeServices, toolOf, toolsetOf } from '../../testing/fake-services.js';

describe('the page of an agent', () => {
  let world: EngineWorld;
  let services: FakeServices;
  const quarantined = { name: 'odd name', skill: 'desk', reason: 'quarantined', what_to_do: 'Mend it.' };

  beforeAll(async () => {
    world = await engineWorld({ scopes: ['agents:write', 'approvals:manage'] });
    ({ services } = world);
    await world.start({ ...rehearsal, TURN_MAX_TOOLS: 4, TURN_FOUND_TOOLS: 2 });
  });
  /** The registry's answer for ids that a new agent names. Ids that contain `gone` exist nowhere. */
  const named = ({ query }: RecordedRequest): Toolset => {
    const ids = (name: string) => (query.get(name) ?? '').split(',').filter((id) => id !== '' && !id.includes('gone'));
    const skills = ids('skill_ids').map((id) => ({ id, slug: id, name: id, knowledge: '', version: 1 }));
    return { ...toolsetOf(ids('tool_ids').map((id) => toolOf({ id, name: id, source: 'python' }))), skills };
  };
  beforeEach(() => {
    services.on('/internal/toolsets', (request) => (request.query.has('agent_id') ? ofDesk() : named(request)));
  });
  const ofDesk = (): Toolset => ({
    ...toolsetOf([
      toolOf({ name: 'one' }),
      toolOf({ name: 'wipe', grade: 'destructive' }),
      toolOf({ name: 'broken', input_schema: { type: 'no such type' } }),
      toolOf({ name: 'two' }),
      toolOf({ name: 'http_request', model_name: 'http_request', source: 'builtin' }),
      toolOf({ name: 'three' }),
      toolOf({ name: 'four' }),
    ]),
    problems: [{ skill_id: 'skl_desk', message: 'The MCP server Desk does not answer' }],
    left_out: [quarantined],
  });
  afterAll(() => world.close());

  const agent = async (fields: object = {}) =>
    (await world.call('POST', 'agents', { name: 'Desk', instructions: '', skills: ['skl_desk'], ...fields })).body;
  const names = (tools: { name: string }[]) => tools.map(({ name }) => name);

  it('says which tools its model gets, which it finds by a search and which are left out, with what to do', async () => {
    const { id, toolset } = await agent({ tools: ['http_request'] });
    expect(toolset.offered).toEqual([
      {
        id: 'tol_http_request',
        name: 'http_request',
        skill: 'desk',
        source: 'builtin',
        grade: 'read',
        for_untrusted: 'yes',
      },
      { id: 'tol_one', name: 'desk__one', skill: 'desk', source: 'mcp', grade: 'read', for_untrusted: 'no' },
    ]);
    expect(names(toolset.by_search)).toEqual(['desk__two', 'desk__three', 'desk__four']);
    expect(toolset.by_search[0]).toMatchObject({
      reason: 'over_limit',
      what_to_do: expect.stringContaining('find_tools'),
    });
    expect(toolset.left_out).toEqual([
      quarantined,
      {
        id: 'tol_wipe',
        name: 'desk__wipe',
        skill: 'desk',
        reason: 'over_may_do',
        what_to_do: expect.stringContaining('approvers'),
      },
      {
        id: 'tol_broken',
        name: 'desk__broken',
        skill: 'desk',
        reason: 'unusable_schema',
        what_to_do: expect.any(String),
      },
    ]);
    expect(toolset.problems).toEqual(['The MCP server Desk does not answer']);
    expect((await world.call('GET', `agents/${id}`)).body.toolset).toEqual(toolset);
    const changed = (await world.call('PATCH', `agents/${id}`, { may_do: 'destructive' })).body;
    expect(names(changed.toolset.left_out)).toEqual(['odd name', 'desk__broken']);
  });

  it('says for whom each tool is, and per kind of sender why the others are not offered', async () => {
    const bound = [{ credential_id: 'cred_1', as: 'api', skill_id: 'skl_desk' }];
    services.on('/internal/toolsets', (request) =>
      request.query.has('agent_id')
        ? toolsetOf([
            toolOf({ name: 'one' }),
            toolOf({ name: 'http_request', model_name: 'http_request', source: 'builtin', credential_bindings: bound }),
            toolOf({ name: 'wipe', grade: 'destructive' }),
          ])
        : named(request),
    );
    const { id, toolset } = await agent({ tools: ['read_file'] });
    const uses = toolset.offered.map((tool: { name: string; for_untrusted: string }) => [
      tool.name,
      tool.for_untrusted,
    ]);
    expect(uses).toEqual([
      ['read_file', 'yes'],
      ['desk__one', 'no'],
      ['http_request', 'without_credentials'],
    ]);
    const read = async (sender: string) => (await world.call('GET', `agents/${id}/toolset?sender=${sender}`)).body;
    expect(await read('admitted')).toEqual(toolset);
    for (const [sender, remedy] of [
      ['unknown', 'admit the contact'],
      ['unsigned', 'require a signature'],
    ]) {
      const { offered, left_out: leftOut } = await read(sender!);
      expect(names(offered)).toEqual(['read_file', 'http_request']);
      expect(leftOut).toEqual([
        expect.objectContaining({
          id: 'tol_one',
          reason: 'not_for_sender',
          what_to_do: expect.stringContaining(remedy!),
        }),
        expect.objectContaining({ id: 'tol_wipe', reason: 'over_may_do' }),
      ]);
    }
    expect((await world.call('GET', `agents/${id}/toolset?sender=all`)).status).toBe(422);
    expect((await world.call('GET', 'agents/agt_none/toolset')).status).toBe(404);
  });

  it('is tagged by what people edit, not by what its Skills have now', async () => {
    const { id } = await agent();
    const before = await world.call('GET', `agents/${id}`);
    services.on('/internal/toolsets', () => toolsetOf([]));
    const after = await world.call('GET', `agents/${id}`);
    expect(after.body.toolset).not.toEqual(before.body.toolset);
    expect(after.headers.get('etag')).toBe(before.headers.get('etag'));
    const unchanged = { headers: { 'if-match': String(before.headers.get('etag')) } };
    expect((await world.call('PATCH', `agents/${id}`, { name: 'A' }, unchanged)).status).toBe(200);
    expect((await world.call('PATCH', `agents/${id}`, { name: 'B' }, unchanged)).status).toBe(412);
  });

  it('is shown when the registry does not answer, and says so', async () => {
    const { id } = await agent();
    services.on('/internal/toolsets', () => ({ status: 503, code: 'unavailable' }));
    const shown = await world.call('GET', `agents/${id}`);
    expect(shown.status).toBe(200);
    expect(shown.body.toolset).toMatchObject({ offered: [], error: { code: 'toolset_unavailable' } });
  });

  it('gives the registry each agent that a Skill or tool reaches, once', async () => {
    const first = await agent({ name: 'A', skills: ['skl_a', 'skl_b'], python_tools: ['tol_p'] });
    const { agents, more } = (await world.internal('GET', 'agents/toolsets?skill_ids=skl_a,skl_b&tool_id=tol_p')).body;
    expect(agents).toEqual([
      {
        id: first.id,
        name: 'A',
        offered: 2,
        by_search: 3,
        left_out: expect.arrayContaining([quarantined]),
        left_out_total: 3,
        error: null,
      },
    ]);
    expect(more).toBe(0);
    const elsewhere = await world.internal('GET', 'agents/toolsets?skill_ids=skl_a', undefined, {
      projectId: 'prj_other',
    });
    expect(elsewhere.body.agents).toEqual([]);
  });

  it('gives the registry what agents with a Skill may do by themselves, and whether they name approvers', async () => {
    const powers = { may_do: 'read', approvers: ['key:test'] };
    const { id } = await agent({ name: 'Careful', skills: ['skl_b'], ...powers });
    const path = 'agents/powers?skill_ids=skl_b';
    const { agents } = (await world.internal('GET', path)).body;
    expect(agents).toContainEqual({ id, name: 'Careful', may_do: 'read', has_approvers: true });
    const elsewhere = await world.internal('GET', path, undefined, { projectId: 'prj_other' });
    expect(elsewhere.body).toEqual({ agents: [], more: 0 });
  });

  it('accepts only Skills and tools of its project: others are refused by name, and those that it already has stay', async () => {
    const skills = ['skl_desk', 'skl_gone', 'skl_a,skl_b'];
    const made = { name: 'Odd', instructions: '', skills, python_tools: ['tol_gone'] };
    const refused = await world.call('POST', 'agents', made);
    expect([refused.status, refused.body.errors]).toEqual([
      422,
      [
        { field: 'skills', message: 'no Skill of this project: skl_gone, skl_a,skl_b' },
        { field: 'python_tools', message: 'no Python tool of this project: tol_gone' },
      ],
    ]);
    const { id } = await agent({ skills: ['skl_later'] });
    const change = (skills: string[]) => world.call('PATCH', `agents/${id}`, { name: 'Desk', skills });
    services.on('/internal/toolsets', () => toolsetOf([]));
    expect((await change(['skl_later', 'skl_desk'])).status).toBe(200);
    expect((await change(['skl_later', 'skl_gone'])).body).toMatchObject({ code: 'invalid_fields' });
  });

  it('accepts Skills unchecked while the registry does not answer', async () => {
    services.on('/internal/toolsets', () => ({ status: 503, code: 'unavailable' }));
    expect(await agent({ skills: ['skl_unknown'] })).toMatchObject({ skills: ['skl_unknown'] });
  });
});
