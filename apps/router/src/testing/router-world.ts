import { columnsOf, type MessageRoutePayload, newId, type NormalizedMessage, turnRun } from '#libs/contracts';
import type { Principal } from '#libs/service-kit';
import { home, openWorld, testEnvironment, type World } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from '../app.module.js';
import { type Packed, type StoredMessage, unpacked } from '../entities/message.entity.js';
import type { ChannelRow } from '../entities/rules.entity.js';
import { readSettings, type RouterSettings } from '../env.js';
import { ChannelRepository } from '../manage/channels/channel.repository.js';
import { Clock } from '../path/guards/loop-breaker.js';
import { ProjectRules } from '../path/rules/project-rules.js';

/** Called as a caller of the project with every scope of the management API. */
export interface RouterWorld extends World<RouterSettings> {
  /** A database row, or undefined. */
  row<T>(sql: string, parameters?: unknown[]): Promise<T>;
  /** Messages as they were stored, whether their rows are packed or not. @param where continues the statement */
  messages(where: string, parameters?: unknown[]): Promise<StoredMessage[]>;
  /** The message of a receipt. */
  message(receiptId: string): Promise<StoredMessage>;
  /** Creates the channel of a new App. @returns the App's id */
  channel(settings: Partial<ChannelRow>): Promise<string>;
  /** Sets the time of every router's guards and sessions; null: the real one. */
  setTime(ms: number | null): void;
}

export const caller: Principal = { ...home, subject: 'key:test', scopes: ['admin'] };

/** A database of its own with routers on it. Nothing consumes their queues: tests call what a job would. */
export async function routerWorld(): Promise<RouterWorld> {
  let time: number | null = null;
  const routers: NestFastifyApplication[] = [];
  const world: World<RouterSettings> = await openWorld({
    service: (settings) => ({ name: 'router', module: AppModule.with(settings), settings }),
    settings: routerDefaults(),
    queues: [turnRun.queue],
    caller: { scopes: ['admin', 'service'] },
    prepare: (app) => {
      app.get(Clock, { strict: false }).nowMs = () => time ?? Date.now();
      routers.push(app);
    },
  });
  const messages: RouterWorld['messages'] = (where, parameters) => storedMessages(world, where, parameters);
  return Object.assign(world, {
    messages,
    message: async (receiptId: string) => (await messages('WHERE receipt_id = $1', [receiptId]))[0] as StoredMessage,
    row: async <T>(sql: string, parameters?: unknown[]) => (await world.query<T>(sql, parameters))[0] as T,
    channel: async (settings: Partial<ChannelRow>) => {
      const appId = newId('app');
      const row = { ...plainChannel, app_id: appId, ...settings };
      await world.app.get(ChannelRepository, { strict: false }).change(caller, row, row, null);
      for (const router of routers) router.get(ProjectRules, { strict: false }).forget(caller.projectId);
      return appId;
    },
    setTime: (ms: number | null) => {
      time = ms;
    },
  });
}

export async function storedMessages(
  db: { query<T>(sql: string, parameters?: unknown[]): Promise<T[]> },
  where: string,
  parameters: unknown[] = [],
): Promise<StoredMessage[]> {
  const rows = await db.query<Packed<StoredMessage>>(`SELECT * FROM router.message ${where}`, parameters);
  return rows.map(unpacked<StoredMessage>);
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

export const routerDefaults = (): RouterSettings => ({
  ...readSettings(testEnvironment()),
  TURN_LEASE_MS: 600_000,
  RUN_WAIT_MAX_S: 2,
});

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
