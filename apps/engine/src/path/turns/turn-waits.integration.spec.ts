import { newId, turnRun } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { home, until } from '#libs/testing';
import { type EngineWorld, engineWorld, turnOf, sessionOf } from '../../testing/engine-world.js';
import { type Script, type FakeModel } from '../../testing/fake-model.js';
import { agentOf, turnsOf } from '../../testing/turns-of.js';

describe('a turn whose model', () => {
  let world: EngineWorld;
  let model: FakeModel;
  const settings = {
    MODEL_TIMEOUT_MS: 5_000,
    MODEL_BREAKER_FAILURES: 2,
    MODEL_TRIAL_MS: 300,
    TURN_MAX_ATTEMPTS: 2,
  };
  const away: Script = (response) => response.writeHead(503).end('{}');

  beforeAll(async () => {
    world = await engineWorld();
    ({ model } = world);
    await world.start(settings);
  });
  afterAll(() => world.close());

  const waits = (id: string, atLeast: number) =>
    until(`turn ${id} waits`, async () => {
      const row = await turnsOf(world).row(id);
      if (row?.waits >= atLeast) return row;
      if (row?.state === 'failed' || row?.state === 'succeeded') throw new Error(`it ${row.state} of ${row.reason}`);
      return false;
    });
  const read = async (id: string) => (await world.call('GET', `turns/${id}`)).body;
  const entries = async (id: string, outcome: string) =>
    (
      await world.pool.query(`SELECT reason, detail FROM ${everyEntry} e WHERE subject_id = $1 AND outcome = $2`, [
        id,
        outcome,
      ])
    ).rows;

  it('is unavailable waits beyond its attempts, says so, and continues when it is back', async () => {
    model.always(away);
    const turn = turnOf();
    await world.jobs.enqueue(turnRun, turn);
    // More than TURN_MAX_ATTEMPTS.
    const row = await waits(turn.turn_id, 4);
    expect(row.tries).toBeLessThanOrEqual(1);
    const shown = await read(turn.turn_id);
    expect(shown.waiting).toMatchObject({ reason: 'model_unavailable', since: expect.any(String) });
    expect(Date.parse(String(shown.waiting?.until)) - Date.parse(String(shown.waiting?.since))).toBe(3_600_000);
    const entry = await until('the timeline has it', async () => {
      const rows = await entries(turn.turn_id, 'held');
      return rows.length > 0 && rows;
    });
    expect(entry).toEqual([
      { reason: 'model_unavailable', detail: { error: 'the model answered 503', until: expect.any(String) } },
    ]);
    model.always(null);
    expect(await turnsOf(world).reaches(turn.turn_id, 'succeeded', 'failed')).toMatchObject({ reply_text: 'done' });
    expect((await read(turn.turn_id)).waiting).toBeNull();
  });

  it.each<[string, Script]>([
    ['model_unauthorized', (response) => response.writeHead(401).end('{}')],
    ['model_unavailable', (response) => response.writeHead(429).end('{}')],
    ['model_unavailable', (response) => response.destroy()],
    [
      'model_unavailable',
      (response) => response.writeHead(200, { 'content-length': 99 }).write('{', () => response.destroy()),
    ],
  ])('is unavailable in another way also waits: %s', async (code, script) => {
    model.always(script);
    const turn = turnOf();
    await world.jobs.enqueue(turnRun, turn);
    expect(await waits(turn.turn_id, 3)).toMatchObject({ reason: code });
    model.always(null);
    expect(await turnsOf(world).reaches(turn.turn_id, 'succeeded', 'failed')).toMatchObject({ state: 'succeeded' });
  });

  it('is unavailable continues after the engine was restarted', async () => {
    model.always(away);
    const turn = turnOf();
    await world.jobs.enqueue(turnRun, turn);
    await waits(turn.turn_id, 1);
    await world.restart(settings);
    const before = (await turnsOf(world).row(turn.turn_id)).waits;
    await waits(turn.turn_id, before + 1);
    model.always(null);
    expect(await turnsOf(world).reaches(turn.turn_id, 'succeeded', 'failed')).toMatchObject({ state: 'succeeded' });
  });

  it('is unavailable has one chain of attempts, however often its job is added', async () => {
    model.always(away);
    const turn = turnOf();
    await world.jobs.enqueue(turnRun, turn);
    await waits(turn.turn_id, 2);
    for (let more = 0; more < 5; more += 1) {
      await world.jobs.enqueue(turnRun, turn);
      await until('the job was taken', async () => {
        const { waiting, active } = await world.jobs.depth('turns');
        return waiting + active === 0;
      });
    }
    const jobs = async (): Promise<number> => {
      const { waiting, active, delayed } = await world.jobs.depth('turns');
      return waiting + active + delayed;
    };
    await until('one chain is left', async () => (await jobs()) === 1);
    model.always(null);
    await turnsOf(world).reaches(turn.turn_id, 'succeeded');
    await until('no job is left', async () => (await jobs()) === 0);
  });

  it('is unavailable is not called by every waiting turn', async () => {
    model.script();
    model.always(away);
    const turns = Array.from({ length: 12 }, () => turnOf());
    await Promise.all(turns.map((turn) => world.jobs.enqueue(turnRun, turn)));
    await Promise.all(turns.map((turn) => waits(turn.turn_id, 2)));
    const tries = await Promise.all(turns.map(async ({ turn_id }) => (await turnsOf(world).row(turn_id)).claim));
    const sum = tries.reduce((total, each) => total + each, 0);
    expect(model.requests.length).toBeLessThan(sum / 1.5);
    model.always(null);
    await Promise.all(turns.map((turn) => turnsOf(world).reaches(turn.turn_id, 'succeeded')));
  });

  it('hangs, as does its fallback, waits even if its time is up', async () => {
    const agent_id = await agentOf(world, { fallback_model: 'spare', caps: { wall_clock_ms: 1_500 } });
    model.always(() => undefined);
    await world.restart({ ...settings, MODEL_TIMEOUT_MS: 1_000 });
    const turn = turnOf({ agent_id });
    await world.jobs.enqueue(turnRun, turn);
    expect(await waits(turn.turn_id, 1)).toMatchObject({ state: 'queued', reason: 'model_timeout' });
    model.always(null);
    expect(await turnsOf(world).reaches(turn.turn_id, 'succeeded', 'failed')).toMatchObject({ state: 'succeeded' });
  });

  it('answers nonsense fails after its attempts, and not before', async () => {
    model.always((response) => response.setHeader('content-type', 'application/json').end('{"choices": 7'));
    const turn = turnOf();
    expect(await turnsOf(world).run(turn)).toMatchObject({ state: 'failed', reason: 'model_malformed', claim: 2 });
    model.always(null);
  });

  it('is unavailable for too long fails with a dead letter', async () => {
    model.always(away);
    const turn = turnOf();
    await world.jobs.enqueue(turnRun, turn);
    await waits(turn.turn_id, 1);
    await world.pool.query("UPDATE engine.turn SET blocked_since = now() - interval '2 hours' WHERE id = $1", [
      turn.turn_id,
    ]);
    expect(await turnsOf(world).reaches(turn.turn_id, 'failed')).toMatchObject({ reason: 'model_unavailable' });
    model.always(null);
    expect(await entries(turn.turn_id, 'dead')).toMatchObject([{ reason: 'model_unavailable' }]);
  });

  describe('has no room for the conversation', () => {
    const session = newId('ses');
    const pastTurns = async (count: number, chars: number) => {
      const { session_id } = await turnsOf(world).run(turnOf({ session: sessionOf(session) }));
      for (let at = 0; at < count; at += 1) {
        const { turn_id, input, ...ids } = turnOf();
        const past = { ...input, message: { ...input?.message, message: `${at} ${'x'.repeat(chars)}` } };
        await world.pool.query(
          `INSERT INTO engine.turn (id, organization_id, project_id, app_id, receipt_id, session_id, epoch, input, state,
             claim, reply_text) VALUES ($1, $2, $3, $4, $5, $6, 1, $7, 'succeeded', 1, 'ok')`,
          [turn_id, home.organizationId, home.projectId, ids.app_id, ids.receipt_id, session_id, past],
        );
      }
    };
    // The model was away, so its first call is a trial.
    beforeAll(async () => void (await turnsOf(world).run(turnOf())));
    afterEach(() => model.hasRoomFor(Number.POSITIVE_INFINITY));

    it('is shown less of the past, within the turn, and says so', async () => {
      await pastTurns(18, 2_000);
      model.script('Still here.');
      model.hasRoomFor(20_000);
      const turn = turnOf({ session: sessionOf(session) });
      expect(await turnsOf(world).run(turn)).toMatchObject({
        state: 'succeeded',
        claim: 1,
        reply_text: 'Still here.',
      });
      const { steps } = await read(turn.turn_id);
      const shortened = steps.filter((step) => step.kind === 'shortened');
      expect(shortened.map((step) => step.content['level'])).toEqual([1, 2]);
      await until('the timeline has both', async () => {
        const rows = await entries(turn.turn_id, 'running');
        return rows.filter(({ reason }) => reason === 'conversation_shortened').length === 2;
      });
      // The next turn of its session is not stuck either.
      const next = turnOf({ session: sessionOf(session) });
      expect(await turnsOf(world).run(next)).toMatchObject({ state: 'succeeded' });
    });

    it('is shown less of a long message, and how much is missing', async () => {
      model.script('Read.');
      model.hasRoomFor(30_000);
      // What another model took before does not count.
      const agent_id = await agentOf(world, { model: 'another' });
      const turn = turnOf({ session: sessionOf(newId('ses')), agent_id });
      turn.input!.message.message = 'y'.repeat(60_000);
      expect(await turnsOf(world).run(turn)).toMatchObject({ state: 'succeeded', claim: 1 });
      expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('(44000 characters left out)');
    });

    it('is shown less of the results of calls, also after a takeover of the turn', async () => {
      const agentId = await agentOf(world, { tools: ['search_knowledge'] });
      const turn = turnOf({ agent_id: agentId });
      const call = { id: 'c1', name: 'search_knowledge', arguments: { query: 'tea' } };
      const { input: _input, ...payload } = turn;
      model.always(away);
      await world.jobs.enqueue(turnRun, turn);
      await waits(payload.turn_id, 1);
      const asked = { text: '', tool_calls: [call], model: 'fake', finish_reason: 'tool-calls' };
      const result = { call_id: 'c1', name: call.name, result: { text: 'z'.repeat(40_000) } };
      await world.pool.query(
        `INSERT INTO engine.step (turn_id, seq, kind, content) VALUES ($1, 1, 'model_call', $2), ($1, 2, 'tool_result', $3),
           ($1, 3, 'shortened', '{"level": 3}')`,
        [payload.turn_id, asked, result],
      );
      model.hasRoomFor(12_000);
      model.script('Read.');
      model.always(null);
      expect(await turnsOf(world).reaches(payload.turn_id, 'succeeded', 'failed')).toMatchObject({
        state: 'succeeded',
      });
      expect(model.requests.at(-1)?.messages.at(-1)?.content).toContain('characters are left out');
    });

    it('fails where nothing is left to leave out, and leaves its session free', async () => {
      model.hasRoomFor(100);
      const turn = turnOf({ session: sessionOf(session) });
      expect(await turnsOf(world).run(turn)).toMatchObject({ state: 'failed', reason: 'context_length' });
      model.hasRoomFor(Number.POSITIVE_INFINITY);
      expect(await turnsOf(world).run(turnOf({ session: sessionOf(session) }))).toMatchObject({ state: 'succeeded' });
    });
  });
});
