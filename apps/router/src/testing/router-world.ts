import { telemetryDefaults } from '#libs/telemetry';
import { columnsOf, type MessageRoutePayload, newId, type NormalizedMessage } from '#libs/contracts';
import {
  createService,
  httpLimitDefaults,
  type Principal,
  readEnv,
  type Scope,
  ServiceTokens,
  tokenLimitDefaults,
} from '#libs/service-kit';
import { ask, testDatabase, testPool, testRedisUrl, testServiceKey, testServiceTrust, until } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type pg from 'pg';
import { AppModule } from '../app.module.js';
import type { ChannelRow } from '../entities/rules.entity.js';
import { ChannelRepository } from '../manage/channels/channel.repository.js';
import { eventSettings, type RouterSettings } from '../env.js';
import { Clock } from '../path/guards/loop-breaker.js';
import { ProjectRules } from '../path/rules/project-rules.js';

export interface RouterWorld {
  pool: pg.Pool;
  databaseUrl: string;
  /** A database row, or undefined. */
  row<T>(sql: string, parameters?: unknown[]): Promise<T>;
  rows<T>(sql: string, parameters?: unknown[]): Promise<T[]>;
  /** Starts one more router on the same stores; it takes the time from this world. */
  start(settings?: Partial<RouterSettings>): Promise<NestFastifyApplication>;
  /** Creates the channel of a new App. @returns the App's id */
  channel(settings: Partial<ChannelRow>): Promise<string>;
  /** Sets the time of every router's guards and sessions; null: the real one. */
  setTime(ms: number | null): void;
  now(): number;
  /** Waits for a row. */
  eventually<T>(sql: string, parameters?: unknown[]): Promise<T>;
  /** Calls a route as a caller of the project with every scope of the management API. */
  api<T>(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<Answer<T>>;
  close(): Promise<void>;
}

export interface Answer<T> {
  status: number;
  headers: Headers;
  body: T;
}

export const caller: Principal = {
  subject: 'key:test',
  organizationId: newId('org'),
  projectId: newId('prj'),
  scopes: ['admin'],
};

/** A database of its own with routers on it. Nothing consumes their queues: tests call what a job would. */
export async function routerWorld(): Promise<RouterWorld> {
  const database = await testDatabase();
  const pool = testPool(database.url);
  const tokens = new ServiceTokens(testServiceKey, 'router');
  const routers: NestFastifyApplication[] = [];
  let time: number | null = null;
  const rows = async <T>(sql: string, parameters: unknown[] = []): Promise<T[]> =>
    (await pool.query(sql, parameters)).rows as T[];
  return {
    pool,
    databaseUrl: database.url,
    rows,
    row: async <T>(sql: string, parameters: unknown[] = []) => (await rows<T>(sql, parameters))[0] as T,
    start: async (settings = {}) => {
      const all = { ...routerDefaults, ...settings, DATABASE_URL: database.url };
      const app = await createService({ name: 'router', module: AppModule.with(all), settings: all });
      app.get(Clock, { strict: false }).nowMs = () => time ?? Date.now();
      await app.listen(0, '127.0.0.1');
      routers.push(app);
      return app;
    },
    channel: async (settings) => {
      const appId = newId('app');
      await routers[0]?.get(ChannelRepository, { strict: false }).save({ ...plainChannel, app_id: appId, ...settings });
      for (const router of routers) router.get(ProjectRules, { strict: false }).forget(caller.projectId);
      return appId;
    },
    setTime: (ms) => {
      time = ms;
    },
    now: () => time ?? Date.now(),
    eventually: async <T>(sql: string, parameters: unknown[] = []) =>
      until('a row is there', async () => (await rows<T>(sql, parameters))[0]),
    api: async <T>(method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
      const token = await tokens.mint('router', { ...caller, scopes: ['admin', 'service' satisfies Scope] });
      return ask<T>({ method, url: `${await routers[0]?.getUrl()}${path}`, token, body, headers });
    },
    close: async () => {
      await Promise.all(routers.map((router) => router.close()));
      await pool.end();
      await database.drop();
    },
  };
}

export const plainChannel: ChannelRow = {
  app_id: '',
  ...columnsOf(caller),
  agent_id: null,
  route_policy: 'both',
  bots: 'triggers_only',
  automatic: 'triggers_only',
  reply_address: null,
  session_scope: 'thread',
  unknown_senders: null,
  inbox_mode: null,
  idle_reset_minutes: null,
  daily_reset_hour: null,
  failure_notice: null,
  limit_notice: null,
  reply_ttl_seconds: null,
  updated_at: new Date(),
};

export const routerDefaults: RouterSettings = {
  ...httpLimitDefaults,
  ...tokenLimitDefaults,
  ...telemetryDefaults,
  PORT: 8080,
  OPERATIONS_PORT: 0,
  HOST: '127.0.0.1',
  DATABASE_URL: '',
  REDIS_URL: testRedisUrl(),
  DATABASE_POOL: 8,
  DATABASE_DIRECT_URL: null,
  CHANGE_CACHE_MS: 300_000,
  QUEUE_CONCURRENCY: 4,
  HAND_OVER_CONCURRENCY: 4,
  SURPLUS_CONCURRENCY: 4,
  SURPLUS_DUTY_PERCENT: 100,
  ...testServiceTrust,
  PUBLIC_URL: 'http://127.0.0.1',
  LOG_LEVEL: 'silent',
  INGRESS_URL: 'http://127.0.0.1:9',
  GATEWAY_URL: 'http://127.0.0.1:9',
  ENGINE_URL: 'http://127.0.0.1:9',
  INLINE_LIMIT_BYTES: 16_384,
  TURN_LEASE_MS: 600_000,
  ROUTE_BATCH: 64,
  ECHO_WINDOW_MS: 600_000,
  LOOP_ROUNDS_PER_MINUTE: 20,
  LOOP_SAME_TEXTS: 8,
  LOOP_EVEN_ROUNDS: 20,
  LOOP_COOLDOWN_MS: 600_000,
  LOOP_MAX_HOPS: 4,
  PAIRING_CODE_MS: 3_600_000,
  RUN_WAIT_MAX_S: 2,
  ...readEnv(eventSettings, {}),
};

/** The job of one message of an App with an adapter. */
export function jobOf(appId: string, message: Partial<NormalizedMessage>, over: Partial<MessageRoutePayload> = {}) {
  return {
    receipt_id: newId('evt'),
    received_at: new Date().toISOString(),
    ...columnsOf(caller),
    app_id: appId,
    app_kind: 'adapter',
    verified_scheme: 'hmac',
    messages: [{ event_type: 'message_received', sender: 'ada', message: 'hello', is_bot: false, ...message }],
    ...over,
  } satisfies MessageRoutePayload;
}
