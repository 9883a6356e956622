import {
  columnsOf,
  deliverySend,
  type JobContract,
  newId,
  type ProjectScope,
  type TurnInput,
  type TurnOfSession,
  turnRun,
  type TurnRunPayload,
} from '#libs/contracts';
import { JobClient } from '#libs/queue';
import { createService, type Scope, ServiceTokens } from '#libs/service-kit';
import { QueuedJobs, testDatabase, testPool, testRedisUrl, testServiceKey } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type pg from 'pg';
import { AppModule } from '../app.module.js';
import type { EngineSettings } from '../settings.js';
import { type TurnRedrive, TurnRedriveService } from '../manage/turns/turn-redrive.service.js';

export interface EngineWorld {
  pool: pg.Pool;
  jobs: JobClient;
  /** Starts another engine in this process. */
  start(settings?: Partial<EngineSettings>): Promise<NestFastifyApplication>;
  /** Payloads of the waiting jobs of one kind that no test consumes. */
  waiting<P extends object>(contract: JobContract<P>): Promise<P[]>;
  /** Loses all waiting jobs, as if Redis was wiped. */
  loseJobs(): Promise<void>;
  /** Redrives a failed turn, for the dead letter with `done` others before it. */
  drive(turnId: string, done: number): Promise<TurnRedrive>;
  /** @param person the member whose key it is, if any */
  token(scopes: Scope[], project?: ProjectScope, subject?: string, person?: string): Promise<string>;
  close(): Promise<void>;
}

export const home = { organizationId: newId('org'), projectId: newId('prj') };

/** A separate database and empty queues, and engines on them. */
export async function engineWorld(): Promise<EngineWorld> {
  const database = await testDatabase();
  const pool = testPool(database.url);
  const jobs = new JobClient(testRedisUrl());
  const tokens = new ServiceTokens(testServiceKey, 'engine');
  const engines: NestFastifyApplication[] = [];
  const queued = new QueuedJobs([turnRun.queue, deliverySend.queue]);
  await queued.lose();
  return {
    pool,
    jobs,
    start: async (settings = {}) => {
      const all = { ...engineDefaults, DATABASE_URL: database.url, ...settings };
      const app = await createService({
        name: 'engine',
        module: AppModule.with(all),
        settings: serviceSettings,
        consumes: ['turns'],
      });
      await app.startAllMicroservices();
      await app.listen(0, '127.0.0.1');
      engines.push(app);
      return app;
    },
    waiting: (contract) => queued.payloads(contract, ['wait', 'delayed', 'prioritized']),
    loseJobs: () => queued.lose(),
    drive: async (turnId, done) => {
      const [engine] = engines;
      if (!engine) throw new Error('no engine was started');
      return engine.get(TurnRedriveService, { strict: false }).drive(home, turnId, done, null);
    },
    token: (scopes, project = home, subject = 'key:test', person) =>
      tokens.mint('engine', { subject, ...(person === undefined ? {} : { person }), ...project, scopes }),
    close: async () => {
      await Promise.allSettled(engines.map((engine) => engine.close()));
      await queued.close();
      await jobs.close();
      await pool.end();
      await database.drop();
    },
  };
}

const serviceSettings = {
  PORT: 8080,
  OPERATIONS_PORT: 0,
  HOST: '127.0.0.1',
  REDIS_URL: testRedisUrl(),
  QUEUE_CONCURRENCY: 4,
  HAND_OVER_CONCURRENCY: 4,
  GATEHOUSE_SERVICE_KEY: testServiceKey,
  LOG_LEVEL: 'silent',
};

export const engineDefaults: EngineSettings = {
  DATABASE_URL: '',
  DATABASE_POOL: 5,
  DATABASE_DIRECT_URL: null,
  CHANGE_CACHE_MS: 300_000,
  ROUTER_URL: 'http://127.0.0.1:9',
  GATEWAY_URL: 'http://127.0.0.1:9',
  VAULT_URL: 'http://127.0.0.1:9',
  MCP_REGISTRY_URL: 'http://127.0.0.1:9',
  PYTHON_RUNNER_URL: 'http://127.0.0.1:9',
  ENGINE_URL: 'http://127.0.0.1:9',
  MODEL_BASE_URL: null,
  MODEL_NAME: null,
  MODEL_API_KEY: null,
  MODEL_FALLBACK_NAME: null,
  SESSION_SEARCH_SCAN: 10,
  COMPARISON_CASES: 10,
  COMPARISON_AT_ONCE: 2,
  COMPARISONS_OPEN: 3,
  COMPARISON_EVERY_MS: 50,
  MODEL_STREAMING: 1,
  MODEL_PRICES: {},
  MODEL_CURRENCY: 'EUR',
  MODEL_TIMEOUT_MS: 30_000,
  MODEL_MAX_OUTPUT_TOKENS: 500,
  MODEL_ANSWER_BYTES: 1_048_576,
  MODEL_TEST_MS: 5_000,
  MODEL_BREAKER_FAILURES: 3,
  MODEL_TRIAL_MS: 15_000,
  GATEHOUSE_EGRESS_ALLOW: ['127.0.0.1'],
  INLINE_LIMIT_BYTES: 16_384,
  PROJECT_CONCURRENT_TURNS: 0,
  TURN_LEASE_MS: 30_000,
  TURN_MAX_STEPS: 20,
  TURN_MAX_TOOL_CALLS: 20,
  TURN_PARALLEL_CALLS: 4,
  TURN_MAX_TOOLS: 100,
  TURN_FOUND_TOOLS: 20,
  TURN_MAX_SAME_READS: 3,
  TURN_WALL_CLOCK_MS: 60_000,
  TURN_MAX_TOKENS: 500_000,
  TURN_MAX_COST_MICROS: 0,
  DAY_MAX_TOKENS: 0,
  DAY_MAX_COST_MICROS: 0,
  CONTACT_DAY_MAX_TOKENS: 0,
  CONTACT_DAY_MAX_COST_MICROS: 0,
  TURN_PREVIEW_CHARS: 32_768,
  TURN_PREVIEW_EVERY_MS: 250,
  TURN_TYPING_EVERY_MS: 4_000,
  TURN_STREAMS: 20,
  TURN_STREAMS_PER_PROJECT: 10,
  TURN_STREAM_EVERY_MS: 20,
  EVENT_STREAM_HEARTBEAT_MS: 15_000,
  EVENT_STREAM_MAX_MS: 600_000,
  APPROVAL_WAIT_MS: 3_600_000,
  APPROVAL_ASK_CHARS: 1_500,
  TURN_MAX_ATTEMPTS: 24,
  TURN_MAX_UNREADABLE: 5,
  POISON_KILLS: 2,
  POISON_TRIAL_MS: 1_000,
  TURN_WAIT_MS: 3_600_000,
  TURN_ATTENTION_MS: 0,
  AGENT_VERSIONS: 200,
  TRIAL_TURNS: 50,
  SESSION_SUMMARY_CHARS: 8_000,
  MODEL_WINDOW_KEPT_MS: 604_800_000,
  TURN_MAX_SHORTENINGS: 4,
  TURN_WINDOW: 20,
  TURN_WINDOW_CHARS: 4_000,
  TOOL_RESULT_BYTES: 32_768,
  TOOL_RESULT_KEPT_BYTES: 1_048_576,
  TURN_IMAGE_BYTES: 8_388_608,
  MODEL_INPUTS: [],
  TOOL_CALLBACKS: 20,
  DOCUMENT_MAX_CHARS: 100_000,
  TOOL_TIMEOUT_MS: 30_000,
  AGENT_CACHE_MS: 0,
  ORDER_WAIT_MS: 2_000,
  SWEEP_EVERY_MS: 100,
  SWEEP_AFTER_MS: 60_000,
  RETENTION_DAYS: 30,
};

/** The session of a key, in which each message is answered separately. */
export function sessionOf(key: string): TurnOfSession {
  return { key, contact_id: null, inbox_mode: 'queue', reset_before: null };
}

/** A job for a turn on a message from `ada`. */
export function turnOf(over: Partial<TurnRunPayload> = {}, input: Partial<TurnInput> = {}): TurnRunPayload {
  return {
    turn_id: newId('trn'),
    ...columnsOf(home),
    app_id: newId('app'),
    receipt_id: newId('evt'),
    message_id: newId('msg'),
    run: null,
    session: null,
    agent_id: null,
    input: {
      message: { event_type: 'message', sender: 'ada', message: 'hello there', is_bot: false, metadata: { ticket: 7 } },
      verified: true,
      trust: 'known',
      instructions: null,
      reply: { app_id: newId('app'), channel_address: 'room-1', thread_id: null, reply_context: null },
      ...input,
    },
    ...over,
  };
}
