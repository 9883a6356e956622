import { columnsOf, newId } from '#libs/contracts';
import { Journal } from '#libs/journal';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import fc from 'fast-check';
import { SessionRepository } from '../../apps/engine/src/manage/sessions/session.repository.js';
import { RoutingService } from '../../apps/router/src/path/routing/routing.service.js';
import { caller } from '../../apps/router/src/testing/router-world.js';
import { WorkflowRepository } from '../../apps/router/src/manage/workflows/workflow.repository.js';
import { fuseOf } from './crashes.js';
import { type EngineParts, type PathWorld, pathWorld } from './path-world.js';
import { messagesOf, type Mortal, type Move, ScheduleRun, senders, type Step } from './schedule-run.js';

/** SCHEDULES=3000 for a long run; SEED=<number> to repeat a failed one. */
const schedules = Number(process.env['SCHEDULES'] ?? 60);
const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('deliver' as const),
      message: fc.nat(senders * messagesOf - 1),
      twin: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('take' as const), message: fc.nat(senders * messagesOf - 1) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('finish' as const), turn: fc.nat(9), failed: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('takeover' as const), session: fc.nat(2) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('hand_back' as const),
      session: fc.nat(2),
      answerWaiting: fc.boolean(),
    }),
  },
);
const move: fc.Arbitrary<Move> = fc.record({
  step,
  mortal: fc.constantFrom(0 as const, 1 as const),
  crash: fc.option(fc.record({ statements: fc.nat(14), after: fc.boolean() }), { freq: 2 }),
});
/** The moves of one inner list run concurrently. */
const schedule = fc.array(fc.array(move, { minLength: 1, maxLength: 4 }), { minLength: 4, maxLength: 14 });

describe('with any order, crashes and repetitions, the system', () => {
  let world: PathWorld;
  let mortals: Mortal[];
  const apps: Record<'queue' | 'collect', string> = { queue: '', collect: '' };

  beforeAll(async () => {
    world = await pathWorld();
    const mortal = (router: NestFastifyApplication, engine: EngineParts): Mortal => ({
      routing: router.get(RoutingService, { strict: false }),
      engine,
      sessions: engine.app.get(SessionRepository, { strict: false }),
      journals: [router, engine.app].map((app) => app.get(Journal, { strict: false })),
      fuses: [fuseOf(router), fuseOf(engine.app)],
    });
    mortals = [mortal(world.router, world.engine), mortal(await world.start(), await world.startEngine())];
    for (const mode of ['queue', 'collect'] as const) {
      apps[mode] = await world.channel({ unknown_senders: 'open', inbox_mode: mode });
    }
    await workflowWithTriggers(world.router, Object.values(apps));
  });
  afterAll(() => world.close());

  async function workflowWithTriggers(app: NestFastifyApplication, appIds: string[]): Promise<void> {
    const workflows = app.get(WorkflowRepository, { strict: false });
    const now = new Date();
    const owner = { ...columnsOf(caller), created_at: now };
    const workflow = {
      ...owner,
      name: 'w',
      agent_id: null,
      instructions: '',
      output_schema: null,
      steps: null,
      status: 'active' as const,
      updated_at: now,
    };
    const { id } = await workflows.insert(caller, workflow);
    for (const app_id of appIds) {
      const limits = {
        limit_per_minute: null,
        contact_limit_per_hour: null,
        debounce_seconds: null,
        debounce_max_seconds: null,
      };
      const where = 'event.message.endsWith("0")';
      await workflows.insertTrigger(caller, {
        ...owner,
        ...limits,
        id: newId('trg'),
        app_id,
        workflow_id: id,
        event_types: [],
        where,
        active: true,
      });
    }
  }

  it('handles each message once, in order, loses nothing, and ends every event in one outcome', async () => {
    const property = fc.asyncProperty(
      fc.constantFrom('queue' as const, 'collect' as const),
      schedule,
      async (mode, moves) => {
        const run = new ScheduleRun(world, mortals, apps[mode]);
        for (const [at, together] of moves.entries()) {
          await Promise.all(together.map((each) => run.make(each, at)));
          await run.expectOneTurnAtATime();
        }
        await run.drain(moves.length);
        await run.expectAllHandled();
      },
    );
    await fc.assert(property, { seed, numRuns: schedules, endOnFailure: true });
  }, 3_600_000);
});
