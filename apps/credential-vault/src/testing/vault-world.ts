import { ChangeListener } from '#libs/database';
import type { Principal, Scope, ServiceSettings } from '#libs/service-kit';
import { home, openWorld, testEnvironment, type World } from '#libs/testing';
import { AppModule } from '../app.module.js';
import { readSettings } from '../env.js';
import type { KekRing } from '../sealing/kek-ring.js';
import { defaultPolicy, type PolicyRules } from '../service-policy/service-policy.js';
import type { VaultSettings } from '../settings.js';
import type { VaultInternalViews, VaultViews } from './vault-views.js';

export const writer: Principal = { ...home, subject: 'key:writer', scopes: ['credentials:write'] };
export const admin: Principal = { ...home, subject: 'key:admin', scopes: ['admin'] };

/** For tests of what is resolved rather than for whom: the gateway may also ask without a binding. */
export const unboundPolicy: PolicyRules = {
  ...defaultPolicy,
  'adapter-gateway': { may: ['resolve', 'resolve_unbound', 'bind'], consumers: ['app'] },
};

type Settings = VaultSettings & ServiceSettings;

/** Called as `writer`, and by the gateway. */
export type VaultWorld = World<Settings, VaultViews, VaultInternalViews>;

export function asService(name: string, more: Scope[] = [], tenant = home): Principal {
  return { ...tenant, subject: `service:${name}`, scopes: ['service', ...more] };
}

export async function vaultWorld(keys: KekRing, more: Partial<Settings> = {}): Promise<VaultWorld> {
  const vault: VaultWorld = await openWorld({
    service: (settings) => ({ name: 'credential-vault', module: AppModule.with(settings), settings }),
    settings: { ...readSettings(testEnvironment()), ...changed, GATEHOUSE_KEK_RING: keys, ...more },
    caller: writer,
    neighbor: 'adapter-gateway',
  });
  await vault.start();
  const { query } = vault;
  vault.query = async <Row>(sql: string, parameters?: unknown[]) => {
    const rows = await query<Row>(sql, parameters);
    await vault.app.get(ChangeListener).caughtUp();
    return rows;
  };
  return vault;
}

/** Short waits. Not at an https address, which providers could read client metadata from. */
const changed: Partial<VaultSettings> = {
  PUBLIC_URL: 'http://127.0.0.1:8080',
  DEK_CACHE_ENTRIES: 10,
  VERIFY_TIMEOUT_MS: 20_000,
  AUDIT_FLUSH_MS: 50,
  ROTATION_SWEEP_MS: 50,
  NOTIFY_SWEEP_MS: 60_000,
  TOKEN_TIMEOUT_MS: 10_000,
  REFRESH_LEASE_MS: 1_000,
  REFRESH_TAKEOVER_MS: 2_000,
};
