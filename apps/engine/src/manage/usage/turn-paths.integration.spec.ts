import { firstId, newId } from '#libs/contracts';
import { home } from '#libs/testing';
import { type EngineWorld, engineWorld, rehearsal } from '../../testing/engine-world.js';
import type { TurnPathsView } from './turn-paths.controller.js';

let world: EngineWorld;
const scan = 1_000;

beforeAll(async () => {
  world = await engineWorld({ scopes: ['agents:read'] });
  await world.start({ ...rehearsal, TURN_PATH_SCAN: scan });
});
afterAll(() => world.close());
beforeEach(() => world.pool.query('TRUNCATE engine.turn, engine.tool_call'));

interface Made {
  app?: string;
  trigger?: string | null;
  workflow?: number | null;
  agent?: string | null;
  state?: string;
  project?: string;
  at?: number;
}
const turn = async (of: Made = {}): Promise<string> => {
  // `newId` never goes back in time.
  const id = of.at === undefined ? newId('trn') : `${firstId('trn', new Date(of.at))}${newId('trn').slice(16)}`;
  const { app = 'app_1', trigger = null, workflow = null, agent = null, state = 'succeeded' } = of;
  await world.pool.query(
    `INSERT INTO engine.turn (id, organization_id, project_id, app_id, receipt_id, trigger_id, workflow_id, agent_id, epoch, state)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, $9)`,
    [id, home.organizationId, of.project ?? home.projectId, app, newId('evt'), trigger, workflow, agent, state],
  );
  return id;
};
const call = (turnId: string, seq: number, tool: string, outcome: string) =>
  world.pool.query(
    `INSERT INTO engine.tool_call (turn_id, seq, organization_id, project_id, agent_id, call_ref, tool, source, grade, arguments_sha256, outcome)
     VALUES ($1, $2, $3, $4, 'agt_1', 'ref', $5, 'builtin', 'read', '', $6)`,
    [turnId, seq, home.organizationId, home.projectId, tool, outcome],
  );
const paths = async (query = '') => (await world.call<TurnPathsView>('GET', `usage/paths${query}`)).body;

describe('the paths of turns', () => {
  it('are counted by App, trigger, workflow and agent, with what failed and what is open', async () => {
    await turn({ trigger: 'trg_1', workflow: 1 });
    await turn({ trigger: 'trg_1', workflow: 1, state: 'failed' });
    await turn({ trigger: 'trg_1', workflow: 1, state: 'waiting' });
    await turn({ agent: 'agt_1' });
    expect((await paths()).paths).toEqual([
      { app_id: 'app_1', trigger_id: 'trg_1', workflow_id: 1, agent_id: null, turns: 3, failed: 1, open: 1 },
      { app_id: 'app_1', trigger_id: null, workflow_id: null, agent_id: 'agt_1', turns: 1, failed: 0, open: 0 },
    ]);
  });

  it('name the tools that were called, with the calls that failed', async () => {
    const id = await turn();
    await call(id, 1, 'http_request', 'ok');
    await call(id, 2, 'http_request', 'error');
    await call(id, 3, 'search', 'ok');
    expect((await paths()).tools).toMatchObject([
      { agent_id: 'agt_1', source: 'builtin', tool: 'http_request', tool_id: null, calls: 2, failed: 1 },
      { tool: 'search', calls: 1, failed: 0 },
    ]);
  });

  it('are of this project, of events, and of the time that was asked for', async () => {
    const dayAgo = Date.now() - 86_400_000;
    await turn({ at: dayAgo - 60_000 });
    await turn({ project: newId('prj') });
    await turn({ app: `trial:${home.projectId}` });
    expect((await paths()).paths).toEqual([]);
    const from = new Date(dayAgo - 120_000).toISOString();
    expect((await paths(`?from=${from}`)).paths).toMatchObject([{ turns: 1 }]);
    expect(await world.call('GET', 'usage/paths?from=noon')).toMatchObject({ status: 422 });
  });

  it('say when only the newest turns were counted', async () => {
    expect((await paths()).whole).toBe(true);
    await world.pool.query(
      `INSERT INTO engine.turn (id, organization_id, project_id, app_id, receipt_id, epoch, state)
       SELECT $1 || lpad(n::text, 6, '0'), $2, $3, 'app_1', 'evt_1', 0, 'succeeded' FROM generate_series(1, $4::integer) n`,
      [newId('trn').slice(0, 30), home.organizationId, home.projectId, scan + 5],
    );
    expect(await paths()).toMatchObject({ whole: false, paths: [{ turns: scan }] });
  });
});
