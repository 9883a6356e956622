import { deliverySend, newId } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { until } from '#libs/testing';
import type pg from 'pg';
import { type EngineWorld, engineWorld, turnOf } from '../../testing/engine-world.js';
import { type Script, type FakeModel } from '../../testing/fake-model.js';
import { agentOf, turnsOf } from '../../testing/turns-of.js';

describe('the end of a turn', () => {
  let world: EngineWorld;
  let model: FakeModel;
  let agentId: string;

  beforeAll(async () => {
    world = await engineWorld();
    ({ model } = world);
    await recordCommits(world.pool);
    await world.start();
    agentId = await agentOf(world, { tools: ['search_knowledge'], caps: { steps: 2 } });
  });
  afterAll(() => world.close());

  const run = async (script: Script[], input = {}) => {
    model.script(...script);
    const turn = turnOf({ agent_id: agentId }, input);
    return { id: turn.turn_id, ended: await turnsOf(world).run(turn) };
  };
  const journaled = (id: string, outcome: string) =>
    until('the journal has its end', async () => {
      const sql = `SELECT reason, detail FROM ${everyEntry} e WHERE subject_id = $1 AND outcome = $2`;
      return (await world.pool.query(sql, [id, outcome])).rows[0];
    });
  const search = [{ name: 'search_knowledge', arguments: '{"query":"tea"}' }];

  it.each<[string, Script[], object, string]>([
    ['says that the model had nothing to say', ['NO_REPLY'], {}, 'nothing_to_say'],
    ['says that there is no address', ['Hello.'], { reply: null }, 'no_address'],
    ['says why its reply is withheld', ['Hello.'], { reply: null, reply_withheld: 'mailing_list' }, 'mailing_list'],
  ])('%s', async (_what, script, input, reason) => {
    const { id, ended } = await run(script, input);
    expect(ended).toMatchObject({ state: 'succeeded', reply: 'none', reason });
    expect(await journaled(id, 'succeeded')).toMatchObject({ reason, detail: { reply: 'none' } });
  });

  it('accepts an empty answer as nothing to say where the turn has done its work by calls', async () => {
    agentId = await agentOf(world, { tools: ['search_knowledge'] });
    const { ended } = await run([search, '']);
    expect(ended).toMatchObject({ state: 'succeeded', reply: 'none', reason: 'nothing_to_say' });
  });

  it.each<[string, Script]>([
    ['content_filter', { content: null, finish_reason: 'content_filter' }],
    ['content_filter', { content: 'Half an ans', finish_reason: 'content_filter' }],
    ['model_refused', { content: null, finish_reason: 'stop', refusal: 'I cannot help with that.' }],
    ['empty_answer', ''],
    ['empty_answer', { content: '  \n', finish_reason: 'stop' }],
    ['empty_answer', { content: null, finish_reason: 'surprise' }],
    ['empty_at_length', { content: null, finish_reason: 'length' }],
  ])('is the failure %s, with its dead letter and its step, and no reply', async (code, answer) => {
    model.always(answer);
    const { id, ended } = await run([]);
    model.always(null);
    expect(ended).toMatchObject({ state: 'failed', reason: code, reply: 'none' });
    const letters = await world.pool.query(
      'SELECT stage, reason, state FROM journal.dead_letter WHERE subject_id = $1',
      [id],
    );
    expect(letters.rows).toEqual([{ stage: 'turn', reason: code, state: 'open' }]);
    const steps = await world.pool.query(`SELECT content FROM engine.step WHERE turn_id = $1 AND kind = 'model_call'`, [
      id,
    ]);
    expect(steps.rows.at(-1).content).toMatchObject({ discarded: code });
    expect((await world.waiting(deliverySend)).filter((job) => job.turn_id === id)).toEqual([]);
  });

  it('sends an answer that was cut at its length limit, and marks it', async () => {
    const { id, ended } = await run([{ content: 'To begin with', finish_reason: 'length' }]);
    expect(ended).toMatchObject({ state: 'succeeded', reply: 'sent', reason: 'length_cut' });
    const sent = await until('it is offered', async () =>
      (await world.waiting(deliverySend)).find((job) => job.turn_id === id),
    );
    expect(sent.content?.text).toBe('To begin with\n\n[…]');
  });

  it('names the limit that led to a last answer', async () => {
    agentId = await agentOf(world, { tools: ['search_knowledge'], caps: { steps: 2 } });
    const { ended } = await run([search, 'As far as I came.']);
    expect(ended).toMatchObject({ state: 'succeeded', reply: 'sent', reason: 'steps_exhausted' });
    expect((await run([search, ''])).ended).toMatchObject({ state: 'failed', reason: 'steps_exhausted' });
  });

  it('is reported to the sender once where the channel says so, and to nobody whose reply is withheld', async () => {
    const failure_notice = 'That did not work.';
    model.always({ content: null, finish_reason: 'content_filter' });
    const noticed = await run([], { failure_notice });
    const withheld = await run([], { failure_notice, reply: null, reply_withheld: 'bounce' });
    const plain = await run([]);
    model.always(null);
    const jobs = await until('the notice is offered', async () => {
      const all = await world.waiting(deliverySend);
      return all.some((job) => job.turn_id === noticed.id) && all;
    });
    expect(jobs.find((job) => job.turn_id === noticed.id)?.content).toMatchObject({
      text: failure_notice,
      format: 'plain',
    });
    const { rows } = await world.pool.query(
      `SELECT id FROM engine.turn WHERE id = ANY($1) AND (notice_id IS NOT NULL OR answer_id IS NOT NULL)`,
      [[noticed.id, withheld.id, plain.id]],
    );
    expect(rows).toEqual([{ id: noticed.id }]);
  });

  it('offers the notice of a turn that failed before as one that may have been delivered', async () => {
    const failure_notice = 'That did not work.';
    model.always({ content: null, finish_reason: 'content_filter' });
    const turn = turnOf({ agent_id: agentId }, { failure_notice });
    await turnsOf(world).run(turn);
    const offered = async () => (await world.waiting(deliverySend)).filter((job) => job.turn_id === turn.turn_id);
    await until('the notice is offered', async () => (await offered()).length === 1);
    await turnsOf(world).redrive(turn, 1);
    await until('it is resent', async () => (await offered()).length === 2);
    model.always(null);
    expect((await offered()).map(({ custody }) => custody)).toEqual([undefined, { resent: true }]);
  });

  it('waits for the disk where something is sent next, and only there', async () => {
    const answered = await run(['Hello.']);
    const silent = await run(['NO_REPLY']);
    model.always({ content: null, finish_reason: 'content_filter' });
    const noticed = await run([], { failure_notice: 'That did not work.' });
    const unnoticed = await run([]);
    model.always(null);
    const { rows } = await world.pool.query<{ turn_id: string; setting: string }>('SELECT * FROM turn_commit');
    const waits = ({ id }: { id: string }) => rows.filter(({ turn_id }) => turn_id === id).map((row) => row.setting);
    expect([answered, noticed].map(waits)).toEqual([['local'], ['local']]);
    expect([silent, unnoticed].map(waits)).toEqual([['off'], ['off']]);
  });

  it('is a notice where a limit refused the message: no agent, no model, and it is in no conversation', async () => {
    const limit_notice = { limit: 'pause', text: 'A pause.' } as const;
    const turn = turnOf({ agent_id: newId('agt'), session: null, run: null }, { limit_notice });
    model.script();
    const ended = await turnsOf(world).run(turn);
    expect(ended).toMatchObject({ state: 'succeeded', reply: 'sent', reason: 'limit_notice', session_id: null });
    expect(model.requests).toEqual([]);
    expect(await journaled(turn.turn_id, 'succeeded')).toMatchObject({
      reason: 'limit_notice',
      detail: { reply: 'sent', limit: 'pause', agent: 'none', model: 'none' },
    });
    await turnsOf(world).run(turn);
    const offered = (await world.waiting(deliverySend)).filter((job) => job.turn_id === turn.turn_id);
    expect(new Set(offered.map(({ delivery_id, content }) => `${delivery_id} ${content?.text}`))).toEqual(
      new Set([`${ended.answer_id} A pause.`]),
    );
  });

  it('is resumed by a redrive from the existing steps, and then sends its answer', async () => {
    const agent_id = await agentOf(world, { tools: ['search_knowledge'] });
    const turn = turnOf({ agent_id }, { failure_notice: 'That did not work.' });
    model.script(search, { content: null, finish_reason: 'content_filter' });
    const turns = turnsOf(world);
    expect(await turns.run(turn)).toMatchObject({ state: 'failed', reason: 'content_filter' });
    // The job from before the redrive runs again and changes nothing.
    await turns.run(turn);
    model.script({ content: null, finish_reason: 'content_filter' });
    await turns.redrive(turn, 1);
    await until(
      'it fails again',
      async () => model.requests.length === 1 && (await turns.row(turn.turn_id)).state === 'failed',
    );
    model.script('Now it does.');
    await turns.redrive(turn, 2);
    expect(await turns.reaches(turn.turn_id, 'succeeded')).toMatchObject({ reply: 'sent', redrives: 2, reason: null });
    expect(model.requests[0]?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
    expect(await turns.audit(turn.turn_id)).toHaveLength(1);
    const offered = (await world.waiting(deliverySend)).filter((job) => job.turn_id === turn.turn_id);
    expect(new Set(offered.map(({ content }) => content?.text))).toEqual(
      new Set(['Now it does.', 'That did not work.']),
    );
    expect(new Set(offered.map(({ delivery_id }) => delivery_id)).size).toBe(2);
  });

  it('marks a call as unknown after a redrive, and does not make it again', async () => {
    const agent_id = await agentOf(world, { tools: ['http_request'] });
    const turn = turnOf({ agent_id });
    model.always({ content: null, finish_reason: 'content_filter' });
    const turns = turnsOf(world);
    await turns.run(turn);
    model.always(null);
    const call = { id: 'c1', name: 'http_request', arguments: { method: 'POST', url: 'http://127.0.0.1:9/' } };
    const asked = { text: '', tool_calls: [call], model: 'fake', finish_reason: 'tool-calls' };
    const begun = { call_id: 'c1', name: call.name, arguments: call.arguments };
    await world.pool.query(
      `INSERT INTO engine.step (turn_id, seq, kind, content) VALUES ($1, 7, 'model_call', $2), ($1, 8, 'tool_call', $3)`,
      [turn.turn_id, asked, begun],
    );
    model.script('I cannot say.');
    await turns.redrive(turn, 1);
    await turns.reaches(turn.turn_id, 'succeeded');
    expect(JSON.stringify(await turns.results(turn.turn_id))).toContain('outcome_unknown');
  });

  it('is not redriven where somebody ended the turn', async () => {
    const turn = turnOf({ agent_id: newId('agt') });
    const turns = turnsOf(world);
    await turns.run(turn);
    await world.pool.query("UPDATE engine.turn SET reason = 'cancelled' WHERE id = $1", [turn.turn_id]);
    expect(await world.internal('POST', `turns/${turn.turn_id}/redrive`, { done: 0 })).toMatchObject({
      body: { is: 'ended', outcome: 'cancelled' },
    });
    expect(await turns.row(turn.turn_id)).toMatchObject({ state: 'failed', redrives: 0 });
  });
});

/** Keeps how each transaction that ends a turn commits. The server of the tests waits for no disk: the engine is to wait for its own. */
async function recordCommits(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string }>('SELECT current_database() AS name');
  await pool.query(`ALTER DATABASE "${rows[0]?.name}" SET synchronous_commit = 'local'`);
  await pool.query(`
    CREATE TABLE turn_commit (turn_id text, setting text);
    CREATE FUNCTION note_commit() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
      BEGIN
        INSERT INTO public.turn_commit VALUES (NEW.id, current_setting('synchronous_commit'));
        RETURN NULL;
      END $$;
    CREATE CONSTRAINT TRIGGER note_commit AFTER INSERT OR UPDATE ON engine.turn DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW WHEN (NEW.ended_at IS NOT NULL AND NEW.notice_id IS NULL) EXECUTE FUNCTION note_commit();`);
}
