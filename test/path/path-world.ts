import { newId } from '#libs/contracts';
import { type As, openWorld } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from '../../apps/engine/src/app.module.js';
import { sessionTurn, type SessionTurnView } from '../../apps/engine/src/manage/sessions/session-turn.dto.js';
import type { EngineSettings } from '../../apps/engine/src/env.js';
import { engineDefaults } from '../../apps/engine/src/testing/engine-world.js';
import { TurnEndingRepository } from '../../apps/engine/src/path/turns/turn-ending.repository.js';
import { TurnJobService } from '../../apps/engine/src/path/turns/turn-job.service.js';
import { TurnEnqueuer } from '../../apps/engine/src/path/turns/start-next.js';
import { type Turn, turnJobOf } from '../../apps/engine/src/entities/turn.entity.js';
import { TurnRepository } from '../../apps/engine/src/path/turns/turn.repository.js';
import { targetOf, turnOf, type WholeTurn } from '../../apps/router/src/path/handover/turn-handover.service.js';
import { RoutingService } from '../../apps/router/src/path/routing/routing.service.js';
import { jobOf, type RouterWorld, routerWorld } from '../../apps/router/src/testing/router-world.js';
import type { RouterSettings } from '../../apps/router/src/env.js';

/** How a test ends a turn. */
export interface End {
  state: 'succeeded' | 'failed';
  error?: string | null;
  reason?: string | null;
}

/** The parts of an engine that tests call as its jobs would. */
export interface EngineParts {
  app: NestFastifyApplication;
  turns: TurnRepository;
  endings: TurnEndingRepository;
  jobs: TurnJobService;
  enqueuer: TurnEnqueuer;
}

export interface PathWorld extends RouterWorld {
  router: NestFastifyApplication;
  engine: EngineParts;
  /** Another engine over the same stores. */
  startEngine(): Promise<EngineParts>;
  /** Routes a message of an App and has the engine take its turns, without running any. @returns its receipt */
  receive(appId: string, message: object, over?: object): Promise<string>;
  /** Has an engine take the turns of a receipt. Calls may be repeated. */
  take(receiptId: string, engine?: EngineParts): Promise<void>;
  /** Turns of a receipt as their session shows them, oldest first. */
  turnsOf(receiptId: string): Promise<SessionTurnView[]>;
  turn(id: string): Promise<SessionTurnView>;
  /** Ends a turn that was started; one that has ended stays as it is. */
  finish(turnId: string, end?: End, engine?: EngineParts): Promise<void>;
}

const owner = 'engine_test';

/** A router and an engine on one database. Nobody consumes their queues: tests call what a job would. */
export async function pathWorld(settings: Partial<RouterSettings> = {}): Promise<PathWorld> {
  const world = await routerWorld();
  const [behindRouter, engines] = [await openEngines(world, settings), await openEngines(world, settings)];
  await behindRouter.start();
  const router = await world.start({ ENGINE_URL: behindRouter.url, ...settings });
  const startEngine = async (change: Partial<EngineSettings> = {}): Promise<EngineParts> => {
    const app = await engines.start(change);
    return {
      app,
      turns: app.get(TurnRepository, { strict: false }),
      endings: app.get(TurnEndingRepository, { strict: false }),
      jobs: app.get(TurnJobService, { strict: false }),
      enqueuer: app.get(TurnEnqueuer, { strict: false }),
    };
  };
  // For the API, which calls the router.
  const engine = await startEngine({ ROUTER_URL: await router.getUrl() });
  const rowOf = (id: string) => world.row<Turn>('SELECT * FROM engine.turn WHERE id = $1', [id]);

  const take: PathWorld['take'] = async (receiptId, by = engine) => {
    const messages = await world.messages('WHERE receipt_id = $1', [receiptId]);
    const kept = await world.query<{ payload: WholeTurn }>(
      'SELECT payload FROM router.stale_handover WHERE receipt_id = $1 AND payload IS NOT NULL ORDER BY subject_id',
      [receiptId],
    );
    const named = messages.flatMap((row) => row.turns.map((target) => turnOf(row, targetOf(target))));
    for (const turn of [...named, ...kept.map(({ payload }) => payload)]) await by.turns.claim(turn, owner);
  };

  const { call, close } = world;
  const parts: Omit<PathWorld, Exclude<keyof RouterWorld, 'call' | 'close'>> = {
    router,
    engine,
    startEngine: () => startEngine(),
    take,
    receive: async (appId, message, over = {}) => {
      const job = jobOf(appId, message, over);
      await router.get(RoutingService, { strict: false }).route(job, 1);
      await take(job.receipt_id);
      return job.receipt_id;
    },
    turnsOf: async (receiptId) =>
      (await world.query<Turn>('SELECT * FROM engine.turn WHERE receipt_id = $1 ORDER BY id', [receiptId])).map(
        sessionTurn,
      ),
    turn: async (id) => sessionTurn(await rowOf(id)),
    finish: async (turnId, { state, error = null, reason = null } = { state: 'succeeded' }, by = engine) => {
      const before = await rowOf(turnId);
      if (before.state === 'queued') await by.turns.claim(turnJobOf(before), owner);
      const row = await rowOf(turnId);
      if (row.state !== 'running' || row.owner !== owner) return;
      const claim = { turn_id: turnId, claim: row.claim };
      if (state === 'failed') {
        const code = error ?? 'failed';
        await by.turns.release({ ...row, key: turnId, state: 'queued', due_in_ms: 0, reason: code, spent: null });
        return by.jobs.fail(turnJobOf(row), code, 'as the test says');
      }
      const { receipt_id, organization_id, project_id, app_id } = row;
      const entry = { receipt_id, organization_id, project_id, app_id, subject_id: turnId, stage: 'turn' } as const;
      const ending = { outcome: 'succeeded', reason, detail: { reply: 'none' } } as const;
      const { started } = await by.endings.end({ ...claim, ...noAnswer(row), reason }, [{ ...entry, ...ending }]);
      by.enqueuer.go(started);
    },
    call: (method: string, path: string, body?: object, as?: As) => {
      const isOfEngine = /^(sessions|runs|turns|agents|approvals|knowledge)/.test(path);
      return (isOfEngine ? engines.call : call)<never>(method, path, body, as);
    },
    close: async () => {
      await Promise.all([engines.close(), behindRouter.close()]);
      await close();
    },
  };
  return Object.assign(world, parts);
}

/** Engines on the database of a router. */
const openEngines = ({ databaseUrl }: RouterWorld, { GATEWAY_URL }: Partial<RouterSettings>) =>
  openWorld<EngineSettings>({
    service: (settings) => ({ name: 'engine', module: AppModule.with(settings), settings }),
    settings: { ...engineDefaults(), ...(GATEWAY_URL === undefined ? {} : { GATEWAY_URL }) },
    databaseUrl,
    caller: { scopes: ['admin', 'service'] },
  });

function noAnswer({ session_id, organization_id, project_id }: Turn) {
  return {
    session_id,
    organization_id,
    project_id,
    reply_text: '',
    output: null,
    steps: 1,
    tokens: 0,
    cost_micros: 0,
    agent_id: newId('agt'),
    agent_version: 1,
    contact_id: '',
    content_trust: 'own' as const,
    new_steps: [],
    answer_id: null,
  };
}
