import { newId } from '#libs/contracts';
import { bodyLimitDefaults, createService, type HttpLimits, type Scope } from '#libs/service-kit';
import { testDatabase, testRedisUrl, testServiceKey } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiKeyRepository } from '../api-keys/api-key.repository.js';
import { hashOf, newKey } from '../api-keys/key-text.js';
import { AppModule } from '../app.module.js';
import { FirstTenantRepository, type FirstTenant } from '../bootstrap/first-tenant.repository.js';
import { portalRoutes } from '../portal-routes.js';
import type { FrontDoorSettings } from '../front-door/front-door.js';
import type { ProxySettings } from '../proxy/proxy-routes.js';
import type { UpstreamUrls } from '../proxy/route-table.js';
import type { SessionSettings, FailedKeysSettings } from '../settings.js';
import type { OidcSettings } from '../sign-in/single-sign-on/oidc-settings.js';
import { DataSource } from 'typeorm';

export interface PortalWorld {
  app: NestFastifyApplication;
  url: string;
  tenant: FirstTenant;
  /** Inserts a key directly into the database. */
  key(scopes: Scope[], expiresAt?: Date | null): Promise<string>;
  close(): Promise<void>;
}

const noIssuer: Omit<OidcSettings, 'PUBLIC_URL' | 'GATEHOUSE_SERVICE_KEY'> = {
  OIDC_ISSUER: null,
  OIDC_CLIENT_ID: null,
  OIDC_CLIENT_SECRET: null,
  OIDC_NAME: null,
  OIDC_DEFAULT_ROLE: null,
  OIDC_ROLE_CLAIM: null,
  OIDC_ROLES: {},
  OIDC_TRUST_EMAIL: false,
  GATEHOUSE_EGRESS_ALLOW: [],
};

/** The whole portal on a port, with its own database. */
export async function startPortal(
  urls: UpstreamUrls,
  keyCacheMs: number,
  change: Partial<
    FailedKeysSettings & SessionSettings & OidcSettings & ProxySettings & FrontDoorSettings & HttpLimits
  > & {
    TRUSTED_PROXIES?: string[];
    HTTP_CONNECTIONS_PER_ADDRESS?: number;
    CONSOLE_DIR?: string;
    SERVICE_SILENT_MS?: number;
  } = {},
): Promise<PortalWorld> {
  const database = await testDatabase();
  const settings = {
    PORT: 8080,
    OPERATIONS_PORT: 0,
    HOST: '127.0.0.1',
    REDIS_URL: testRedisUrl(),
    QUEUE_CONCURRENCY: 1,
    GATEHOUSE_SERVICE_KEY: testServiceKey,
    LOG_LEVEL: 'silent',
    DATABASE_URL: database.url,
    DATABASE_POOL: 4,
    KEY_CACHE_MS: keyCacheMs,
    WEBHOOK_CONNECTIONS: 100,
    UPSTREAM_CONNECTIONS: 8,
    WEB_CHAT_CONNECTIONS: 100,
    UPSTREAM_TIMEOUT_MS: 5_000,
    UPSTREAM_QUEUE: 100,
    UPSTREAM_QUEUE_MS: 2_000,
    ANSWER_BUFFER_BYTES: 1_048_576,
    ANSWER_MIN_BYTES_PER_SECOND: 10_000,
    ...bodyLimitDefaults,
    FAILED_KEYS_PER_ADDRESS: 1_000,
    FAILED_KEYS_PER_PREFIX: 1_000,
    FAILED_KEYS_WINDOW_MS: 60_000,
    FAILED_KEYS_TRACKED: 100,
    CONSOLE_DIR: '/nowhere',
    QUEUE_ATTENTION_MS: 15_000,
    SERVICE_SILENT_MS: 20_000,
    PUBLIC_URL: 'http://gatehouse.test',
    SESSION_IDLE_SECONDS: 600,
    SESSION_SECONDS: 3_600,
    SIGN_IN_LINK_SECONDS: 600,
    ...noIssuer,
    ...urls,
    ...change,
  };
  const app = await createService({
    name: 'portal',
    module: AppModule.with(settings),
    settings,
    trustedProxies: change.TRUSTED_PROXIES ?? [],
    routes: portalRoutes(settings),
  });
  await app.listen(0, '127.0.0.1');
  const tenant = await new FirstTenantRepository(app.get(DataSource)).ensureTenant();
  return {
    app,
    url: await app.getUrl(),
    tenant,
    key: async (scopes, expiresAt = null) => {
      const key = newKey();
      const owner = { organization_id: tenant.organizationId, project_id: tenant.projectId };
      const texts = { name: 'test', hash: hashOf(key), last4: key.slice(-4) };
      await app.get(ApiKeyRepository).insert(
        { ...tenant, subject: 'test:portal', scopes: [] },
        {
          id: newId('key'),
          ...owner,
          ...texts,
          scopes,
          made_by_key_id: null,
          made_by_user_id: null,
          expires_at: expiresAt,
        },
      );
      return key;
    },
    close: async () => {
      await app.close();
      await database.drop();
    },
  };
}
