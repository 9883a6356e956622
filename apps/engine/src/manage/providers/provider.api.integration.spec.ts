import { turnRun } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { until } from '#libs/testing';
import { fakeProvider, type FakeProvider } from '../../testing/fake-provider.js';
import { type EngineWorld, engineWorld, rehearsal, turnOf } from '../../testing/engine-world.js';
import { agentOf, turnsOf } from '../../testing/turns-of.js';

const keys: Record<string, Record<string, string>> = {
  cred_one: { token: 'sk-one-12345678' },
  cred_two: { token: 'sk-two-12345678' },
};
const completion = (content: string): object => ({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
});

describe('a provider of models', () => {
  let world: EngineWorld;
  let provider: FakeProvider;

  beforeAll(async () => {
    [world, provider] = await Promise.all([engineWorld({ scopes: ['agents:read', 'agents:write'] }), fakeProvider()]);
    await world.start(rehearsal);
    world.services.on('/internal/bindings/provider/', ({ body }) => {
      const named = (body['credentials'] ?? []) as { credential_id: string }[];
      return { unknown: named.map((one) => one.credential_id).filter((id) => !keys[id]) };
    });
    world.services.on('/internal/credentials/resolve', ({ body }) => {
      const fields = keys[String(body['credential_id'])];
      return fields ? { type: 'api_key', fields } : { status: 404, code: 'credential_not_found' };
    });
    world.services.on('/internal/toolsets/resolve', () => ({ skills: [], tools: [], problems: [], left_out: [] }));
  });
  afterAll(async () => {
    await world.close();
    await provider.close();
  });
  beforeEach(async () => {
    await world.pool.query('DELETE FROM engine.provider');
    provider.answer(() => ({ json: completion('from the provider') }));
  });

  const created = async (over: object = {}) => {
    const body = { name: 'desk', kind: 'openai', base_url: provider.url, credential_ids: ['cred_one'], ...over };
    const answer = await world.call('POST', 'providers', body);
    expect(answer.status).toBe(201);
    return answer.body;
  };
  const run = async (agentId: string | null = null) => {
    const turn = turnOf({ agent_id: agentId });
    await world.jobs.enqueue(turnRun, turn);
    return turnsOf(world).reaches(turn.turn_id, 'succeeded', 'failed');
  };

  it('is connected, shown without a key, changed and deleted, and its keys are bound', async () => {
    const { id, ...shown } = await created({ models: ['gpt'] });
    expect(shown).toMatchObject({ name: 'desk', kind: 'openai', credential_ids: ['cred_one'], tested: null });
    expect(JSON.stringify(shown)).not.toContain('sk-one');
    const bound = () => world.services.requests.filter(({ path }) => path === `/internal/bindings/provider/${id}`);
    expect(bound().at(-1)?.body).toEqual({ credentials: [{ credential_id: 'cred_one' }] });
    const changed = await world.call('PATCH', `providers/${id}`, { credential_ids: ['cred_two'] });
    expect(changed.body).toMatchObject({ credential_ids: ['cred_two'], models: ['gpt'] });
    // The old key stays bound until no turn can use it.
    expect(
      bound()
        .slice(-2)
        .map(({ body }) => body),
    ).toEqual([
      { credentials: [{ credential_id: 'cred_two' }, { credential_id: 'cred_one' }] },
      { credentials: [{ credential_id: 'cred_two' }] },
    ]);
    expect((await world.call('DELETE', `providers/${id}`)).status).toBe(204);
    expect(bound().at(-1)?.method).toBe('DELETE');
    expect((await world.call('GET', `providers/${id}`)).status).toBe(404);
    const { rows } = await world.pool.query(`SELECT action FROM engine.audit WHERE subject = $1 ORDER BY id`, [id]);
    expect(rows.map(({ action }) => action)).toEqual(['provider.created', 'provider.changed', 'provider.deleted']);
  });

  it.each<[string, object, string]>([
    ['a Bedrock without region', { kind: 'amazon-bedrock', base_url: null }, 'region'],
    ['an Azure without address', { kind: 'azure', base_url: null }, 'base_url'],
    ['an Anthropic without key', { kind: 'anthropic', credential_ids: [] }, 'credential_ids'],
    ['an unknown credential', { credential_ids: ['cred_none'] }, 'credential_ids'],
    ['an address with a password', { base_url: 'https://me:secret@example.com/v1' }, 'base_url'],
    ['an address of another scheme', { base_url: 'file:///etc/passwd' }, 'base_url'],
    ['a name that no model can begin with', { name: 'a/b' }, 'name'],
  ])('is refused as %s, with the field', async (_what, over, field) => {
    const body = { name: 'desk', kind: 'openai', base_url: provider.url, credential_ids: ['cred_one'], ...over };
    const answer = await world.call('POST', 'providers', body);
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toEqual([expect.objectContaining({ field })]);
    expect((await world.call('GET', 'providers')).body.data).toEqual([]);
  });

  it('is refused under a name that is taken, and kept while agents name its models', async () => {
    const { id } = await created();
    const repeated = { name: 'desk', kind: 'openai', base_url: provider.url, credential_ids: ['cred_one'] };
    expect((await world.call('POST', 'providers', repeated)).body).toMatchObject({ status: 409, code: 'name_taken' });
    const agent = (await world.call('POST', 'agents', { name: 'Clerk', instructions: 'Help.', model: 'desk/gpt' }))
      .body;
    const refused = await world.call('DELETE', `providers/${id}`);
    expect(refused.body).toMatchObject({ code: 'provider_in_use', detail: expect.stringContaining('Clerk') });
    const renamed = await world.call('PATCH', `providers/${id}`, { name: 'front' });
    expect(renamed.body).toMatchObject({ code: 'provider_in_use' });
    expect((await world.call('PATCH', `providers/${id}`, { name: 'desk', models: ['gpt'] })).status).toBe(200);
    await world.call('DELETE', `agents/${agent.id}`);
    await created({ name: 'other' });
    expect((await world.call('PATCH', `providers/${id}`, { name: 'other' })).body).toMatchObject({
      code: 'name_taken',
    });
    expect((await world.call('PATCH', `providers/${id}`, { name: 'front' })).body).toMatchObject({ name: 'front' });
    expect((await world.call('DELETE', `providers/${id}`)).status).toBe(204);
  });

  it('answers for the agents that name its models, with a key that is changed in the vault', async () => {
    await created();
    const agent = await agentOf(world, { model: 'desk/gpt' });
    expect(await run(agent)).toMatchObject({ state: 'succeeded', reply_text: 'from the provider' });
    const { headers, body } = provider.requests[0] ?? {};
    expect({ key: headers?.['authorization'], model: body?.['model'] }).toEqual({
      key: 'Bearer sk-one-12345678',
      model: 'gpt',
    });
    const usage = await world.call('GET', 'usage?group_by=model');
    expect(usage.body.data).toEqual(
      expect.arrayContaining([expect.objectContaining({ model: 'desk/gpt', model_calls: 1 })]),
    );
  });

  it('answers for agents that name no model once it has the default one; before, the rehearsal model does', async () => {
    const { id } = await created();
    expect((await run()).reply_text).not.toBe('from the provider');
    expect((await world.call('GET', 'model')).body).toMatchObject({ mode: 'rehearsal' });
    await world.call('PATCH', `providers/${id}`, { default_model: 'gpt' });
    expect((await world.call('GET', 'model')).body).toMatchObject({ mode: 'connected', name: 'desk/gpt' });
    expect(await run()).toMatchObject({ reply_text: 'from the provider' });
    const other = await created({ name: 'other', default_model: 'large' });
    expect((await world.call('GET', `providers/${id}`)).body.default_model).toBeNull();
    expect((await world.call('GET', `providers/${other.id}`)).body.default_model).toBe('large');
  });

  it('that an agent names and the project does not have fails the turn with what there is', async () => {
    await created();
    const agent = await agentOf(world, { model: 'gone/gpt' });
    const { id } = await run(agent);
    const { rows } = await world.pool.query(
      `SELECT reason, detail FROM ${everyEntry} e WHERE subject_id = $1 AND outcome = 'dead'`,
      [id],
    );
    expect(rows).toEqual([{ reason: 'model_rejected', detail: { error: expect.stringContaining('there are desk') } }]);
  });

  it('with two keys answers with the second while the first is refused, and the step and the timeline say why', async () => {
    await created({ credential_ids: ['cred_one', 'cred_two'] });
    provider.answer(({ headers }) =>
      headers['authorization'] === 'Bearer sk-one-12345678'
        ? { status: 429, json: { error: { message: 'You exceeded your current quota', code: 'insufficient_quota' } } }
        : { json: completion('with the second key') },
    );
    const agent = await agentOf(world, { model: 'desk/gpt' });
    const turn = await run(agent);
    expect(turn).toMatchObject({ state: 'succeeded', reply_text: 'with the second key' });
    const [step] = await turnsOf(world).steps(turn.id);
    expect(step.content.instead_of).toEqual([
      { model: 'desk/gpt', key: 'cred_one', code: 'model_unauthorized', why: expect.stringContaining('no credit') },
    ]);
    const noted = await until('the timeline says it', async () => {
      const sql = `SELECT detail FROM ${everyEntry} e WHERE subject_id = $1 AND reason = 'model_passed'`;
      return (await world.pool.query(sql, [turn.id])).rows[0];
    });
    expect(noted.detail).toMatchObject({
      model: 'desk/gpt',
      key: 'cred_one',
      answered: 'desk/gpt',
      error: expect.any(String),
    });
  });

  it('is tested: models, an answer with each key, tools, images and streaming', async () => {
    const { id } = await created({ credential_ids: ['cred_one', 'cred_two'] });
    provider.answer(({ path, body, headers }) => {
      if (path === '/models') return { json: { data: [{ id: 'gpt' }, { id: 'embed' }] } };
      if (headers['authorization'] === 'Bearer sk-two-12345678')
        return { status: 401, json: { error: { message: 'Incorrect API key provided: sk-two-12345678' } } };
      if (body['stream'] === true) {
        return (response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          const delta = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
          const piece = (content: string) =>
            `data: ${JSON.stringify({ ...delta, choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;
          response.end(`${piece('one ')}${piece('two')}data: [DONE]\n\n`);
        };
      }
      if (JSON.stringify(body).includes('image_url'))
        return { status: 400, json: { error: { message: 'This model takes no images' } } };
      return { json: completion('ok') };
    });
    const answer = await world.call('POST', `providers/${id}/test`, { model: 'gpt' });
    expect(answer.status).toBe(200);
    const { findings, models, model } = answer.body;
    expect({ models, model }).toEqual({ models: ['embed', 'gpt'], model: 'gpt' });
    const brief = findings.map(({ check, key, ok }: Record<string, unknown>) => ({ check, key, ok }));
    expect(brief).toEqual([
      { check: 'models', key: 'cred_one', ok: true },
      { check: 'answer', key: 'cred_one', ok: true },
      { check: 'answer', key: 'cred_two', ok: false },
      { check: 'tools', key: 'cred_one', ok: false },
      { check: 'images', key: 'cred_one', ok: false },
      { check: 'streaming', key: 'cred_one', ok: true },
    ]);
    expect(JSON.stringify(findings)).not.toContain('12345678');
    expect((await world.call('GET', `providers/${id}`)).body.tested?.findings).toEqual(findings);
  });

  it('at an address that may not be reached is said to be so, with what to do', async () => {
    const { id } = await created({ base_url: 'http://169.254.169.254/v1' });
    const { findings } = (await world.call('POST', `providers/${id}/test`, { model: 'gpt' })).body;
    for (const { ok, detail } of findings)
      expect({ ok, detail }).toEqual({ ok: false, detail: expect.stringContaining('GATEHOUSE_EGRESS_ALLOW') });
  });

  it('has presets for each of the eight kinds', async () => {
    const { data } = (await world.call('GET', 'providers/presets')).body;
    expect(new Set(data.map(({ kind }: { kind: string }) => kind)).size).toBe(8);
    expect(data).toEqual(
      expect.arrayContaining([expect.objectContaining({ id: 'openrouter', kind: 'openai-compatible' })]),
    );
  });
});
