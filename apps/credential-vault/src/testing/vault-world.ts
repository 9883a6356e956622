import { createService, type Principal, type Scope, ServiceTokens } from '#libs/service-kit';
import { ChangeListener, Database } from '#libs/database';
import { type Answer, testDatabase, testRedisUrl, testServiceKey, type ViewOf } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from '../app.module.js';
import type { KekRing } from '../sealing/kek-ring.js';
import { defaultPolicy, type PolicyRules } from '../service-policy/service-policy.js';
import type { VaultSettings } from '../settings.js';
import type { VaultViews } from './vault-views.js';

export const owner = { organizationId: 'org_a', projectId: 'prj_a' };
export const writer: Principal = { ...owner, subject: 'key:writer', scopes: ['credentials:write'] };
export const admin: Principal = { ...owner, subject: 'key:admin', scopes: ['admin'] };

/** For tests of what is resolved rather than for whom: the gateway may also ask without a binding. */
export const unboundPolicy: PolicyRules = {
  ...defaultPolicy,
  'adapter-gateway': { may: ['resolve', 'resolve_unbound', 'bind'], consumers: ['app'] },
};

type HttpMethod = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

export type VaultAnswer<Route extends string = string> = Answer<ViewOf<Route, VaultViews>> & { text: string };

/** The settings that make the vault trust a cluster's tokens. */
export interface KubernetesTrust {
  KUBERNETES_ISSUER: string;
  KUBERNETES_JWKS_URL: string;
  KUBERNETES_NAMESPACE: string;
}

/** A vault with its own database, called as `writer` unless told otherwise. */
export interface VaultWorld {
  app: NestFastifyApplication;
  call<Method extends HttpMethod, Path extends string>(
    method: Method,
    url: Path,
    payload?: object,
    as?: Principal,
  ): Promise<VaultAnswer<`${Method} ${Path}`>>;
  query(sql: string, parameters?: unknown[]): Promise<Record<string, unknown>[]>;
  /** Restarts it on the same database. */
  restart(keys: KekRing, more?: Partial<VaultSettings>): Promise<void>;
  close(): Promise<void>;
}

export function asService(name: string, more: Scope[] = [], tenant = owner): Principal {
  return { ...tenant, subject: `service:${name}`, scopes: ['service', ...more] };
}

/** @param trust whose tokens it trusts besides those of its own issuer */
export async function vaultWorld(
  keys: KekRing,
  more: Partial<VaultSettings> = {},
  trust: Partial<KubernetesTrust> = {},
): Promise<VaultWorld> {
  const database = await testDatabase();
  const vault: VaultWorld = {
    app: await start(database.url, keys, more, trust),
    call: async <Method extends HttpMethod, Path extends string>(
      method: Method,
      url: Path,
      payload?: object,
      as = writer,
    ): Promise<VaultAnswer<`${Method} ${Path}`>> => {
      const issuer = as.subject.startsWith('service:') ? as.subject.slice('service:'.length) : 'portal';
      const token = await new ServiceTokens(testServiceKey, issuer).mint('credential-vault', as);
      const headers = { authorization: `Bearer ${token}` };
      const answer = await vault.app.inject({ method, url, headers, ...(payload ? { payload } : {}) });
      return { status: answer.statusCode, text: answer.body, body: JSON.parse(answer.body || 'null') };
    },
    query: async (sql, parameters) => {
      const rows = await vault.app.get(Database).query(sql, parameters);
      await vault.app.get(ChangeListener).caughtUp();
      return rows;
    },
    restart: async (ring, changed = {}) => {
      await vault.app.close();
      vault.app = await start(database.url, ring, { ...more, ...changed }, trust);
    },
    close: async () => {
      await vault.app.close();
      await database.drop();
    },
  };
  return vault;
}

async function start(
  url: string,
  keys: KekRing,
  more: Partial<VaultSettings>,
  trust: Partial<KubernetesTrust>,
): Promise<NestFastifyApplication> {
  const service = await createService({
    name: 'credential-vault',
    module: AppModule.with({
      ...vaultDefaults,
      DATABASE_URL: url,
      GATEHOUSE_KEK_RING: keys,
      ...more,
    }),
    settings: {
      PORT: 8080,
      OPERATIONS_PORT: 0,
      HOST: '127.0.0.1',
      REDIS_URL: testRedisUrl(),
      QUEUE_CONCURRENCY: 1,
      GATEHOUSE_SERVICE_KEY: testServiceKey,
      LOG_LEVEL: 'silent',
      ...trust,
    },
  });
  return service.init().catch(async (error: unknown) => {
    await service.close();
    throw error;
  });
}

/** Its token endpoints are on this machine, and all waits are short. */
const vaultDefaults = {
  DATABASE_POOL: 4,
  DATABASE_DIRECT_URL: null,
  CHANGE_CACHE_MS: 300_000,
  DEK_CACHE_MS: 60_000,
  DEK_CACHE_ENTRIES: 10,
  GATEWAY_URL: 'http://127.0.0.1:9',
  VERIFY_TIMEOUT_MS: 20_000,
  AUDIT_FLUSH_MS: 50,
  ROTATION_OVERLAP_SECONDS: 86_400,
  ROTATION_SWEEP_MS: 50,
  NOTIFY_SWEEP_MS: 60_000,
  NOTIFICATION_KEEP_DAYS: 30,
  SERVICE_POLICY: defaultPolicy,
  PUBLIC_URL: 'http://127.0.0.1:8080',
  GATEHOUSE_EGRESS_ALLOW: ['127.0.0.1'],
  ACCESS_TOKEN_MIN_VALID_SECONDS: 60,
  REFRESH_WAIT_MS: 4_000,
  REFRESH_MIN_INTERVAL_SECONDS: 5,
  REFRESH_AFTER_REFUSAL_SECONDS: 300,
  TOKEN_TIMEOUT_MS: 10_000,
  REFRESH_LEASE_MS: 1_000,
  REFRESH_TAKEOVER_MS: 2_000,
  TOKEN_HOST_CONCURRENCY: 8,
  REFRESH_SWEEP_MS: 60_000,
  REFRESH_JOURNAL_DAYS: 7,
  REVOCATION_ATTEMPTS: 20,
  REVOCATION_RECORD_DAYS: 30,
  OAUTH_FLOW_SECONDS: 600,
};
