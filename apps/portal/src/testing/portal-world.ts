import { columnsOf, newId } from '#libs/contracts';
import type { Scope } from '#libs/service-kit';
import { openWorld, testEnvironment, type World } from '#libs/testing';
import { DataSource } from 'typeorm';
import { ApiKeyRepository } from '../api-keys/api-key.repository.js';
import { hashOf, newKey } from '../api-keys/key-text.js';
import { FirstTenantRepository, type FirstTenant } from '../bootstrap/first-tenant.repository.js';
import { readSettings } from '../env.js';
import type { UpstreamUrls } from '../proxy/route-table.js';
import { portalService } from '../service.js';

type Settings = ReturnType<typeof readSettings>;

export interface PortalWorld extends World<Settings> {
  tenant: FirstTenant;
  /** Inserts a key directly into the database. */
  key(scopes: Scope[], expiresAt?: Date | null): Promise<string>;
}

/** The whole portal on a port, with its own database. */
export async function startPortal(
  urls: UpstreamUrls,
  KEY_CACHE_MS: number,
  change: Partial<Settings> = {},
): Promise<PortalWorld> {
  const portal = await openWorld<Settings>({
    service: portalService,
    settings: { ...readSettings(testEnvironment()), ...changed, KEY_CACHE_MS, ...urls, ...change },
  });
  const app = await portal.start();
  const tenant = await new FirstTenantRepository(app.get(DataSource)).ensureTenant();
  return Object.assign(portal, {
    tenant,
    key: async (scopes: Scope[], expires_at: Date | null = null) => {
      const key = newKey();
      await app.get(ApiKeyRepository).insert(
        { ...tenant, subject: 'test:portal', scopes: [] },
        {
          id: newId('key'),
          ...columnsOf(tenant),
          name: 'test',
          hash: hashOf(key),
          last4: key.slice(-4),
          scopes,
          made_by_key_id: null,
          made_by_user_id: null,
          expires_at,
        },
      );
      return key;
    },
  });
}

const changed: Partial<Settings> = {
  WEBHOOK_CONNECTIONS: 100,
  UPSTREAM_CONNECTIONS: 8,
  WEB_CHAT_CONNECTIONS: 100,
  TASK_CONNECTIONS: 100,
  UPSTREAM_TIMEOUT_MS: 5_000,
  UPSTREAM_QUEUE: 100,
  FAILED_KEYS_PER_ADDRESS: 1_000,
  FAILED_KEYS_PER_PREFIX: 1_000,
  FAILED_KEYS_TRACKED: 100,
  CONSOLE_DIR: '/nowhere',
  PUBLIC_URL: 'http://gatehouse.test',
  SESSION_IDLE_SECONDS: 600,
  SESSION_SECONDS: 3_600,
  SIGN_IN_LINK_SECONDS: 600,
  GATEHOUSE_EGRESS_ALLOW: [],
};
