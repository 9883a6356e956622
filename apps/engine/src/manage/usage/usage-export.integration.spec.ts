import { newId } from '#libs/contracts';
import { type As, home } from '#libs/testing';
import { type EngineWorld, engineWorld, rehearsal } from '../../testing/engine-world.js';

const elsewhere = { organizationId: home.organizationId, projectId: newId('prj') };
const stranger = { organizationId: newId('org'), projectId: newId('prj') };

let world: EngineWorld;

beforeAll(async () => {
  world = await engineWorld({ scopes: ['agents:read'] });
  await world.start(rehearsal);
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.pool.query('TRUNCATE engine.usage, engine.model_usage');
  for (const { organizationId, projectId } of [home, elsewhere, stranger]) {
    // Two contacts per agent and day, so that the lines of agents are sums.
    await world.pool.query(
      `INSERT INTO engine.usage (project_id, day, agent_id, contact_id, organization_id, model_calls, tool_calls,
              input_tokens, output_tokens, cost_micros)
       SELECT $1, '2026-03-01'::date + d, 'agt_' || a, c, $2, 1, 2, 10, 5, 7
         FROM generate_series(0, 2) d, generate_series(1, 2) a, unnest(ARRAY['', 'con_1']) c`,
      [projectId, organizationId],
    );
    await world.pool.query(
      `INSERT INTO engine.model_usage (project_id, day, model, organization_id, model_calls, input_tokens, output_tokens, cost_micros)
       SELECT $1, '2026-03-01'::date + d, '=m,"x"', $2, 4, 40, 20, 28 FROM generate_series(0, 2) d`,
      [projectId, organizationId],
    );
  }
});

const ask = (query: string, as?: As) =>
  world.call('GET', `usage/export?from=2026-03-01&to=2026-03-02${query}`, undefined, as);
const rowsOf = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('an export of usage', () => {
  it('has the rows of its project and its days, summed by agent', async () => {
    const answer = await ask('&format=ndjson');
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
    const rows = rowsOf(answer.text);
    expect(rows.map(({ project_id, day, agent_id }) => [project_id, day, agent_id])).toEqual(
      ['2026-03-01', '2026-03-02'].flatMap((day) => ['agt_1', 'agt_2'].map((agent) => [home.projectId, day, agent])),
    );
    expect(rows[0]).toMatchObject({
      model_calls: 2,
      tool_calls: 4,
      input_tokens: 20,
      output_tokens: 10,
      cost_micros: 14,
    });
    expect(rowsOf((await ask('&format=ndjson&by=contact')).text)).toHaveLength(8);
  });

  it('covers all projects of the organization for a caller with access to them, and no other organization', async () => {
    const all = await ask('&format=ndjson&projects=all', { scopes: ['admin'] });
    const projects = new Set(rowsOf(all.text).map(({ project_id }) => project_id));
    expect(projects).toEqual(new Set([home.projectId, elsewhere.projectId]));
    expect((await ask('&projects=all')).status).toBe(403);
    const refused = await world.call('GET', 'usage/export', undefined, { scopes: ['events:read'] });
    expect(refused.status).toBe(403);
  });

  it('is CSV unless NDJSON is accepted, and writes no formulas', async () => {
    const answer = await ask('&by=model');
    expect([answer.headers.get('content-type'), answer.headers.get('content-disposition')]).toEqual([
      expect.stringContaining('text/csv'),
      'attachment; filename="usage-2026-03-01-2026-03-02.csv"',
    ]);
    const lines = answer.text.split('\r\n');
    expect(lines[0]).toMatch(/^project_id,day,agent_id,contact_id,model,/);
    expect(lines[1]).toBe(`${home.projectId},2026-03-01,,,"'=m,""x""",4,,40,20,28`);
    expect(lines).toHaveLength(4);
    const accepted = await ask('&by=model', { headers: { accept: 'application/x-ndjson' } });
    expect(rowsOf(accepted.text)).toHaveLength(2);
  });

  it('continues over all pages, with each row once', async () => {
    await world.pool.query(
      `INSERT INTO engine.usage SELECT $1, '2026-03-01', 'agt_' || lpad(n::text, 5, '0'), '', $2, 1, 0, 1, 0, 0
         FROM generate_series(3, 4500) n`,
      [home.projectId, home.organizationId],
    );
    const rows = rowsOf((await ask('&format=ndjson')).text);
    const sums = await world.pool.query(
      `SELECT count(DISTINCT (day, agent_id))::integer AS rows, sum(model_calls)::integer AS calls FROM engine.usage
        WHERE project_id = $1 AND day <= '2026-03-02'`,
      [home.projectId],
    );
    const calls = rows.reduce((sum, { model_calls }) => sum + Number(model_calls), 0);
    expect({ rows: rows.length, calls }).toEqual(sums.rows[0]);
  });

  it('answers 422 for a day that is none', async () => {
    const answer = await world.call('GET', 'usage/export?from=yesterday');
    expect(answer.status).toBe(422);
  });
});
