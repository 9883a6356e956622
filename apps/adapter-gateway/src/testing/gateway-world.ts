import { telemetryDefaults } from '#libs/telemetry';
import { type JobContract, newId } from '#libs/contracts';
import {
  createService,
  httpLimitDefaults,
  type Principal,
  type Scope,
  ServiceTokens,
  tokenLimitDefaults,
} from '#libs/service-kit';
import {
  type Answer,
  ask,
  QueuedJobs,
  testDatabase,
  testRedisUrl,
  testServiceKey,
  testServiceTrust,
  type ViewOf,
} from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import pg from 'pg';
import { AppModule } from '../app.module.js';
import type { GatewaySettings } from '../env.js';
import { type FakeVault, fakeVault } from './fake-vault.js';
import type { GatewayViews } from './gateway-views.js';

export type GatewayAnswer<Route extends string> = Answer<ViewOf<Route, GatewayViews>> & { headers: Headers };

export interface GatewayWorld {
  pool: pg.Pool;
  /** What the vault opens: fields by credential id. */
  credentials: FakeVault['credentials'];
  vault: FakeVault;
  /** Starts one more replica, in this process. */
  start(settings?: Partial<GatewaySettings>): Promise<NestFastifyApplication>;
  /** As a person of the project. */
  call<Method extends string, Path extends string>(
    method: Method,
    path: Path,
    body?: object,
    as?: Partial<Principal>,
  ): Promise<GatewayAnswer<`${Method} ${Path}`>>;
  /** As another service. */
  service<Method extends string, Path extends string>(
    method: Method,
    path: Path,
    body?: object,
    scope?: Partial<Principal>,
  ): Promise<GatewayAnswer<`${Method} ${Path}`>>;
  /** Payloads of the jobs of one kind that wait for a consumer which no test runs. */
  waiting<P extends object>(contract: JobContract<P>): Promise<P[]>;
  close(): Promise<void>;
}

export const home = { organizationId: newId('org'), projectId: newId('prj') };
const person: Scope[] = ['apps:write', 'deliveries:write'];
const queueNames = ['inbound', 'outbound', 'sync', 'route', 'app-changes'];

/** A database and empty queues of its own, a vault, and gateways on them. */
export async function gatewayWorld(): Promise<GatewayWorld> {
  const database = await testDatabase();
  const pool = new pg.Pool({ connectionString: database.url });
  // Tests cut connections, also those of this pool: a query in flight fails on its own.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const vault = await fakeVault();
  const { credentials } = vault;
  const queued = new QueuedJobs(queueNames);
  await queued.lose();
  const tokens = new ServiceTokens(testServiceKey, 'adapter-gateway');
  const gateways: NestFastifyApplication[] = [];
  const send = async <View>(
    method: string,
    path: string,
    body: object | undefined,
    principal: Principal,
  ): Promise<Answer<View> & { headers: Headers }> => {
    const gateway = gateways[0];
    if (!gateway) throw new Error('no gateway was started');
    const token = await tokens.mint('adapter-gateway', principal);
    return ask({ method, url: `${await gateway.getUrl()}/${path}`, token, body });
  };
  return {
    pool,
    credentials,
    vault,
    start: async (settings = {}) => {
      const all: GatewaySettings = {
        ...gatewayDefaults,
        DATABASE_URL: database.url,
        VAULT_URL: vault.url,
        ...settings,
      };
      const app = await createService({
        name: 'adapter-gateway',
        module: AppModule.with(all),
        settings: all,
        consumes: ['inbound', 'outbound', 'sync'],
      });
      await app.startAllMicroservices();
      await app.listen(0, '127.0.0.1');
      gateways.push(app);
      return app;
    },
    call: (method, path, body, as) =>
      send(method, `api/v1/${path}`, body, { ...home, subject: 'key:test', scopes: person, ...as }),
    service: (method, path, body, scope) =>
      send(method, `internal/${path}`, body, { ...home, subject: 'service:test', scopes: ['service'], ...scope }),
    waiting: (contract) => queued.payloads(contract),
    close: async () => {
      await Promise.all(gateways.map((gateway) => gateway.close()));
      await queued.close();
      await vault.close();
      await pool.end();
      await database.drop();
    },
  };
}

export const gatewayDefaults: GatewaySettings = {
  ...httpLimitDefaults,
  ...tokenLimitDefaults,
  ...telemetryDefaults,
  PORT: 8080,
  OPERATIONS_PORT: 0,
  HOST: '127.0.0.1',
  DATABASE_URL: '',
  DATABASE_POOL: 8,
  DATABASE_DIRECT_URL: null,
  CHANGE_CACHE_MS: 300_000,
  CREDENTIAL_CACHE_MS: 2_000,
  REDIS_URL: testRedisUrl(),
  QUEUE_CONCURRENCY: 4,
  HAND_OVER_CONCURRENCY: 4,
  SURPLUS_CONCURRENCY: 4,
  SURPLUS_DUTY_PERCENT: 100,
  ...testServiceTrust,
  PUBLIC_URL: 'https://gatehouse.example',
  SAMPLE_URL: 'http://127.0.0.1:9',
  LOG_LEVEL: 'silent',
  INGRESS_URL: 'http://127.0.0.1:9',
  VAULT_URL: '',
  ENGINE_URL: 'http://127.0.0.1:9',
  MCP_REGISTRY_URL: 'http://127.0.0.1:9',
  ADAPTERS_URL: null,
  GATEHOUSE_EGRESS_ALLOW: ['127.0.0.1'],
  GATEHOUSE_ADAPTER_SECRET: null,
  GATEHOUSE_WEBHOOK_KEY: [Buffer.alloc(32, 7)],
  ADAPTER_TIMEOUT_MS: 20_000,
  ADAPTER_MAX_RESPONSE_BYTES: 1_048_576,
  ADAPTER_CONNECTIONS: 1_024,
  ADAPTER_CONCURRENCY: 50,
  ADAPTER_CALL_ATTEMPTS: 3,
  DELIVERY_TIMEOUT_MS: 20_000,
  INLINE_LIMIT_BYTES: 16_384,
  FILTER_REQUEST_BYTES: 8_192,
  MESSAGE_MAX_DEPTH: 100,
  DELIVERY_LEASE_MS: 10_000,
  DELIVERY_RETRY_FOR_MS: 86_400_000,
  DELIVERY_RETRY_PAUSE_MAX_MS: 900_000,
  DELIVERY_ATTENTION_MS: 0,
  CREDENTIAL_WAIT_MS: 3_600_000,
  DELIVERY_MAX_AGE_MS: 86_400_000,
  DELIVERIES_IN_FLIGHT: 5_000,
  SURPLUS_DELIVERIES_IN_FLIGHT: 64,
  POISON_KILLS: 2,
  POISON_TRIAL_MS: 1_000,
  PARSES_IN_FLIGHT: 5_000,
  PARSE_LEASE_MS: 10_000,
  PARSE_MAX_AGE_MS: 86_400_000,
  DELIVERY_MAX_PARTS: 4,
  HELD_CONNECTIONS: 50,
  CONNECTION_SWEEP_MS: 50,
  CONNECTION_LEASE_MS: 3_000,
  CONNECTION_WAIT_S: 1,
  CONNECTION_PAUSE_MS: 20,
  CONNECTION_ATTENTION_MS: 60_000,
  WEB_CHAT_MESSAGE_CHARS: 200,
  WEB_CHAT_RATE_PER_VISITOR: 10,
  WEB_CHAT_RATE_PER_ADDRESS: 1_000,
  WEB_CHAT_STREAMS: 50,
  WEB_CHAT_STREAMS_PER_APP: 20,
  WEB_CHAT_STREAMS_PER_ADDRESS: 20,
  WEB_CHAT_STREAM_MAX_MS: 60_000,
  WEB_CHAT_HEARTBEAT_MS: 15_000,
  WEB_CHAT_READ_MS: 50,
  WEB_CHAT_DAYS: 90,
  WEB_CHAT_MESSAGES_KEPT: 1_000,
  CHOICE_WAIT_MS: 3_600_000,
  DELIVERY_ATTACHMENTS_MAX_BYTES: 10_000,
  ADDRESS_RATE_PER_MINUTE: 0,
  HEALTH_POLL_MS: 200,
  HEALTH_POLL_MAX_MS: 400,
  HEALTH_TIMEOUT_MS: 20_000,
  HEALTH_DAYS: 14,
  CONFORMANCE_RUNS: 2,
  CONFORMANCE_MAX_MS: 60_000,
  CONFORMANCE_TIMEOUT_MS: 20_000,
  TOKEN_GRACE_MS: 86_400_000,
  RENEWAL_SWEEP_MS: 60_000,
  RENEWAL_RETRY_MS: 60_000,
  MISSED_SWEEP_MS: 60_000,
  MISSED_ASK_AFTER_MS: 0,
  MISSED_MAX_AGE_MS: 259_200_000,
  MISSED_MAX_PAGES: 5,
  SOURCE_MAX_FILE_BYTES: 65_536,
  SOURCE_FETCH_TIMEOUT_MS: 20_000,
  SOURCE_FETCH_CONCURRENCY: 8,
  KNOWLEDGE_MAX_FILE_BYTES: 1_024,
  KNOWLEDGE_FEED_CONCURRENCY: 8,
  SYNC_MAX_PAGES: 1_000,
  SYNC_LEASE_MS: 10_000,
  SYNC_SLICE_MS: 10_000,
  SYNC_ATTEMPTS: 5,
  DOCUMENT_ATTEMPTS: 2,
  SYNC_SWEEP_MS: 100,
};
