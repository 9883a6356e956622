import { pythonSource, type RegistryWorld, startRegistry } from '../testing/registry-world.js';

let registry: RegistryWorld;

beforeAll(async () => {
  registry = await startRegistry();
  registry.fake.credentials.set('cred_a', { token: 'secret-value' });
});
afterAll(() => registry.close());

const create = async (body: object) => (await registry.call('POST', 'skills', body)).body;
const toolset = async (skillIds: string[], toolIds: string[] = []) =>
  (await registry.internal('GET', `toolsets?skill_ids=${skillIds.join()}&tool_ids=${toolIds.join()}&agent_id=agt_1`))
    .body;
const createTool = async (source: string) => (await registry.call('POST', 'tools', { source })).body;

describe('a SKILL.md folder', () => {
  it('is exported and imported again, without credentials', async () => {
    const mul = await createTool(pythonSource('mul'));
    const skill = await create({
      name: 'Numbers: "big" ones',
      description: 'Sums\nand products',
      knowledge: '# How\n\nAdd.',
      tools: [{ tool: mul.id }, { tool: 'builtin:web_search' }],
      credentials: [{ credential_id: 'cred_a', as: 'key' }],
    });
    const { body } = await registry.call('GET', `skills/${skill.id}/export`);
    expect(body.files.map((file) => file.path)).toEqual(['SKILL.md', 'tools/mul.py', 'gatehouse.json']);
    expect(JSON.stringify(body)).not.toContain('cred_a');
    const files = body.files.map((file) => ({
      path: `numbers/${file.path}`,
      content: file.content.replace('def mul', 'def mul2'),
    }));
    await registry.call('PATCH', `skills/${skill.id}`, { tools: [] });
    const slugFree = files.map((file) => ({ ...file, content: file.content.replace('\\"big\\" ones', 'again') }));
    const imported = await registry.call('POST', 'skills/import', { files: slugFree });
    expect(imported.status).toBe(201);
    expect(imported.body).toMatchObject({
      skill: { name: 'Numbers: again', description: 'Sums\nand products', knowledge: '# How\n\nAdd.', credentials: [] },
      ignored: [],
      missing: ['credential key'],
    });
    const set = await toolset([imported.body.skill.id]);
    expect(set.tools.map((one) => one.model_name).sort()).toEqual(['numbers-again__mul2', 'web_search']);
  });

  it('from elsewhere is read: block scalars, other keys, other files', async () => {
    const content = [
      '---',
      'name: pdf-forms # a comment',
      'description: >-',
      '  Fills forms,',
      '  carefully.',
      'metadata:',
      '  author: someone',
      'license: MIT',
      '---',
      'Read references/forms.md.',
    ].join('\n');
    const files = [
      { path: 'SKILL.md', content },
      { path: 'references/forms.md', content: 'x' },
    ];
    const { body } = await registry.call('POST', 'skills/import', { files });
    expect(body.skill).toMatchObject({
      slug: 'pdf-forms',
      name: 'pdf-forms',
      description: 'Fills forms, carefully.',
      knowledge: 'Read references/forms.md.',
    });
    expect(body.ignored).toEqual(['references/forms.md']);
    const none = await registry.call('POST', 'skills/import', { files: [{ path: 'SKILL.md', content: 'no head' }] });
    expect(none.body.code).toBe('invalid_skill_md');
  });

  it('leaves nothing behind when one of its tools does not compile', async () => {
    const compile = registry.fake.compile;
    registry.fake.compile = (source) => (source.includes('broken') ? { ok: false, errors: [] } : compile(source));
    const files = [
      { path: 'SKILL.md', content: '---\nname: half\n---\n' },
      { path: 'tools/fine.py', content: pythonSource('fine') },
      { path: 'tools/broken.py', content: pythonSource('broken') },
    ];
    expect((await registry.call('POST', 'skills/import', { files })).body.code).toBe('python_not_compiled');
    registry.fake.compile = compile;
    const { body } = await registry.call('GET', 'tools?source=python&limit=200');
    expect(body.data.map((one) => one.name)).not.toContain('fine');
  });
});
