import { telemetryDefaults } from '#libs/telemetry';
import { newId } from '#libs/contracts';
import {
  createService,
  httpLimitDefaults,
  type Principal,
  type Scope,
  ServiceTokens,
  tokenLimitDefaults,
} from '#libs/service-kit';
import { type Answer, testDatabase, testRedisUrl, testServiceKey, testServiceTrust, type ViewOf } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { registryService } from '../service.js';
import type { RegistrySettings } from '../settings.js';
import { type FakeServices, startFakeServices } from './fake-services.js';
import type { RegistryInternalViews, RegistryViews } from './registry-views.js';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type As = Partial<Pick<Principal, 'organizationId' | 'projectId' | 'scopes'>>;

export interface RegistryWorld {
  app: NestFastifyApplication;
  url: string;
  databaseUrl: string;
  home: { organizationId: string; projectId: string };
  fake: FakeServices;
  /** As a person of the home project, unless `as` says otherwise. */
  call<M extends Method, Path extends string>(
    method: M,
    path: Path,
    body?: object,
    as?: As,
  ): Promise<Answer<ViewOf<`${M} ${Path}`, RegistryViews>>>;
  /** As the engine. */
  internal<M extends Method, Path extends string>(
    method: M,
    path: Path,
    body?: object,
    as?: As,
  ): Promise<Answer<ViewOf<`${M} ${Path}`, RegistryInternalViews>>>;
  token(as?: As): Promise<string>;
  close(): Promise<void>;
}

const defaults = {
  PORT: 8080,
  OPERATIONS_PORT: 0,
  HOST: '127.0.0.1',
  DATABASE_POOL: 6,
  DATABASE_DIRECT_URL: null,
  QUEUE_CONCURRENCY: 4,
  HAND_OVER_CONCURRENCY: 4,
  SURPLUS_CONCURRENCY: 4,
  SURPLUS_DUTY_PERCENT: 100,
  ...testServiceTrust,
  PUBLIC_URL: 'http://127.0.0.1:8080',
  LOG_LEVEL: 'silent',
  GATEHOUSE_EGRESS_ALLOW: ['127.0.0.0/8'],
  MCP_CONNECT_TIMEOUT_MS: 8_000,
  MCP_CALL_TIMEOUT_MS: 8_000,
  MCP_CALL_MAX_MS: 30_000,
  MCP_PROGRESS_EVERY_MS: 0,
  MCP_RESPONSE_BYTES: 262_144,
  MCP_STREAM_BYTES: 262_144,
  MCP_OUTPUT_BYTES: 4_096,
  MCP_IMAGE_BYTES: 4_096,
  MCP_LIST_PAGES: 5,
  MCP_LIST_TOOLS: 50,
  MCP_LIST_BYTES: 262_144,
  MCP_DEFINITION_BYTES: 8_192,
  MCP_IDLE_MS: 60_000,
  MCP_CONNECTIONS: 50,
  MCP_SERVER_SESSIONS: 50,
  MCP_SESSION_SWEEP_MS: 3_600_000,
  MCP_SESSION_DAYS: 30,
  DISCOVERY_EVERY_MS: 3_600_000,
  DISCOVERY_SWEEP_MS: 3_600_000,
  SERVERS_PER_PROJECT: 50,
  CREDENTIAL_CACHE_MS: 0,
  COMPILE_TIMEOUT_MS: 20_000,
  TRY_TIMEOUT_MS: 20_000,
  TRY_SILENCE_MS: 500,
  CALL_RECORD_DAYS: 90,
};

/** The registry with its own database, or on that of another one (`DATABASE_URL`), and fakes for the services that it calls. */
export async function startRegistry(settings: Partial<RegistrySettings> = {}): Promise<RegistryWorld> {
  const own = settings.DATABASE_URL === undefined ? await testDatabase() : null;
  const fake = await startFakeServices();
  const urls = { VAULT_URL: fake.url, ENGINE_URL: fake.url, PYTHON_RUNNER_URL: fake.url };
  const all: RegistrySettings = {
    ...httpLimitDefaults,
    ...tokenLimitDefaults,
    ...telemetryDefaults,
    ...defaults,
    ...urls,
    DATABASE_URL: own?.url ?? '',
    REDIS_URL: testRedisUrl(),
    ...settings,
  };
  const app = await createService(registryService(all));
  await app.startAllMicroservices();
  await app.listen(0, '127.0.0.1');
  const tokens = new ServiceTokens(testServiceKey, 'portal');
  const home = { organizationId: newId('org'), projectId: newId('prj') };
  const token = (as: As = {}, subject = 'key:1', scopes: Scope[] = ['admin', 'approvals:manage']): Promise<string> =>
    tokens.mint('mcp-registry', { ...home, subject, scopes, ...as });
  const send = async <View>(method: Method, url: string, bearer: string, payload?: object): Promise<Answer<View>> => {
    const headers = { authorization: `Bearer ${bearer}` };
    const answer = await app.inject({ method, url, headers, ...(payload ? { payload } : {}) });
    return { status: answer.statusCode, body: JSON.parse(answer.body || 'null') };
  };
  return {
    app,
    url: await app.getUrl(),
    databaseUrl: all.DATABASE_URL,
    home,
    fake,
    call: async (method, path, body, as) => send(method, `/api/v1${path}`, await token(as), body),
    internal: async (method, path, body, as) =>
      send(method, `/internal${path}`, await token(as, 'service:engine', ['service']), body),
    token,
    close: async () => {
      await app.close();
      await fake.close();
      await own?.drop();
    },
  };
}

/** The source of a Python tool with that name. */
export const pythonSource = (name: string, body = 'return 1'): string =>
  `def ${name}() -> int:\n    "A number."\n    ${body}\n`;
