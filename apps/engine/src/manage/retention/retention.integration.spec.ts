import { firstId, newId } from '#libs/contracts';
import { home } from '#libs/testing';
import { type EngineWorld, engineWorld, sessionOf, turnOf, rehearsal } from '../../testing/engine-world.js';
import { turnsOf } from '../../testing/turns-of.js';
import { RetentionRepository } from './retention.repository.js';

const dayMs = 86_400_000;

describe('the retention of the engine', () => {
  let world: EngineWorld;
  let rows: RetentionRepository;

  beforeAll(async () => {
    world = await engineWorld();
    rows = (await world.start(rehearsal)).get(RetentionRepository, { strict: false });
  });
  afterAll(() => world.close());

  const ids = async (table: string): Promise<string[]> =>
    (await world.pool.query(`SELECT id FROM engine.${table} ORDER BY id`)).rows.map(({ id }) => id);

  /** A turn that ended the given number of days ago. */
  async function turn(days: number, key: string): Promise<{ id: string; session: string }> {
    const atMs = Date.now() - days * dayMs;
    const turn_id = firstId('trn', new Date(atMs)) + newId('trn').slice(16);
    const given = turnOf({ turn_id, session: sessionOf(key) });
    const { id, session_id: session } = await turnsOf(world).run(given);
    await world.pool.query('UPDATE engine.turn SET created_at = $2, ended_at = $2 WHERE id = $1', [id, new Date(atMs)]);
    return { id, session };
  }

  it('deletes old turns with their steps where nobody waits for them, and keeps the others', async () => {
    const [, kept, active] = [await turn(33, 'a'), await turn(29, 'b'), await turn(33, 'c')];
    await world.pool.query(
      `INSERT INTO engine.step (turn_id, seq, kind, content) SELECT id, 2, 'shortened', '{}' FROM engine.turn`,
    );
    await world.pool.query(`UPDATE engine.turn SET state = 'waiting_approval' WHERE id = $1`, [active.id]);
    expect(await rows.deleteOld('turn', 30, 10)).toBe(1);
    expect(await ids('turn')).toEqual([active.id, kept.id].sort());
    const steps = await world.pool.query('SELECT DISTINCT turn_id AS id FROM engine.step ORDER BY 1');
    expect(steps.rows.map(({ id }) => id)).toEqual([active.id, kept.id].sort());
  });

  it('deletes sessions that have been silent, with their marks, unless they have turns or a person has taken them over', async () => {
    const [[quiet, taken], busy] = [[await turn(33, 'quiet'), await turn(33, 'taken')], await turn(1, 'busy')];
    await rows.deleteOld('turn', 30, 10);
    await world.pool.query(`UPDATE engine.session SET updated_at = now() - interval '31 days'`);
    await world.pool.query(`UPDATE engine.session SET status = 'taken_over' WHERE id = $1`, [taken?.session]);
    await world.pool.query(
      `INSERT INTO engine.session_mark (session_id, at, kind, made_by) VALUES ($1, now(), 'reopen', 'key'), ($2, now(), 'reopen', 'key'),
              ($2, now() - interval '31 days', 'reopen', 'key')`,
      [quiet?.session, taken?.session],
    );
    await rows.deleteOld('session', 30, 10);
    expect(await ids('session')).toEqual(expect.arrayContaining([taken?.session, busy.session]));
    expect(await ids('session')).not.toContain(quiet?.session);
    expect(await rows.deleteOld('session_mark', 30, 10)).toBe(1);
    const marks = await world.pool.query('SELECT session_id FROM engine.session_mark');
    expect(marks.rows).toEqual([{ session_id: taken?.session }]);
  });

  it('deletes old comparisons with their cases, and keeps the others', async () => {
    await world.pool.query(
      `INSERT INTO engine.comparison (id, organization_id, project_id, agent_id, baseline, candidate, rules, made_by, created_at)
       SELECT 'cmp_' || n, $1, $2, 'agt_1', 1, 2, '[]', 'key:a', now() - n * interval '1 day' FROM unnest(ARRAY[29, 31]) n`,
      [home.organizationId, home.projectId],
    );
    await world.pool.query(
      `INSERT INTO engine.comparison_case (id, comparison_id, organization_id, project_id, position, source_turn_id,
              baseline_turn_id, candidate_turn_id, judge_turn_id, state, ended_at)
       SELECT 'cmc_' || id, id, organization_id, project_id, 1, 'trn_1', 'trn_2', 'trn_3', 'trn_4', 'done', now() FROM engine.comparison`,
    );
    expect(await rows.deleteOld('comparison', 30, 10)).toBe(1);
    expect(await ids('comparison')).toEqual(['cmp_29']);
    expect(await ids('comparison_case')).toEqual(['cmc_cmp_29']);
  });

  it('deletes old request keys, no more rows at a time than requested', async () => {
    await world.pool.query(
      `INSERT INTO engine.request_key (project_id, key, request, created_at)
       SELECT $1, n::text, '', now() - n * interval '1 day' FROM generate_series(1, 55) n`,
      [home.projectId],
    );
    const deleted = [await rows.deleteOld('request_key', 30, 20), await rows.deleteOld('request_key', 30, 20)];
    expect(deleted).toEqual([20, 6]);
  });

  it('deletes old rows and usage of a project with a shorter retention, and nothing of another', async () => {
    const other = newId('prj');
    const [old, kept] = [await turn(8, 'short'), await turn(6, 'short-kept')];
    const foreign = await turn(8, 'foreign');
    await world.pool.query('UPDATE engine.turn SET project_id = $2 WHERE id = $1', [foreign.id, other]);
    for (const projectId of [home.projectId, other]) {
      await world.pool.query(
        `INSERT INTO engine.model_usage SELECT $1, current_date - n, 'm', $2, 1, 1, 1, 1 FROM unnest(ARRAY[6, 9]) n`,
        [projectId, home.organizationId],
      );
    }
    for (let deleted = 1; deleted > 0;) deleted = await rows.deleteOldOf(home.projectId, 7, 5);
    const left = await ids('turn');
    expect([left.includes(old.id), left.includes(kept.id), left.includes(foreign.id)]).toEqual([false, true, true]);
    const usage = await world.pool.query(
      'SELECT project_id, count(*)::integer AS days FROM engine.model_usage GROUP BY 1 ORDER BY 2',
    );
    expect(usage.rows).toEqual([
      { project_id: home.projectId, days: 1 },
      { project_id: other, days: 2 },
    ]);
  });
});
