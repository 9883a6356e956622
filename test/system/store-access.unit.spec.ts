import { generateKeyPairSync } from 'node:crypto';
import { serviceEnv } from '../../scripts/launcher/service-env.mjs';
import { services } from '../../scripts/launcher/services.mjs';
import { storeAccess } from '../../scripts/launcher/store-access.mjs';

const admin = 'postgresql://admin:secret@db:5432/gatehouse';
const pooler = 'postgresql://admin:secret@pooler:6432/gatehouse?prepare=false';
const secrets = {
  kek: { kid: 'k', key: 'a' },
  service_key: generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }),
  adapter_secret: 'a',
  webhook_key: 'b',
};

/** What a process gets of the addresses that `npm start` was given. */
function addressesOf(name: string, roles: boolean, pooledUrl?: string): (URL | null)[] {
  const at = { databaseUrl: admin, redisUrl: 'redis://cache', secrets, roles, users: false };
  const stores = storeAccess(pooledUrl ? { ...at, pooledUrl } : at);
  const ports = Object.fromEntries(services.map((service, index) => [service.name, 1_000 + index]));
  const env = serviceEnv({
    services,
    ports,
    stores,
    secrets,
    env: { DATABASE_URL: pooler, DATABASE_DIRECT_URL: admin },
  });
  const own = env(name);
  return [own['DATABASE_URL'], own['DATABASE_DIRECT_URL']].map((url) => (url === undefined ? null : new URL(url)));
}

describe('the stores of npm start', () => {
  it('are reached through a pooler by services, which listen past it, each with the role of its own', () => {
    const [url, direct] = addressesOf('router', true, pooler);
    expect([url?.host, url?.search, url?.username]).toEqual(['pooler:6432', '?prepare=false', 'gatehouse_router']);
    expect([direct?.host, direct?.username]).toEqual(['db:5432', 'gatehouse_router']);
    expect(direct?.password).toBe(url?.password);
  });

  it('are reached past a pooler by migrations', () => {
    const [url, direct] = addressesOf('migrations', true, pooler);
    expect([url?.host, url?.username, direct]).toEqual(['db:5432', 'gatehouse_owner', null]);
  });

  it('have one address where there is no pooler, and none for services that store nothing', () => {
    const [url, direct] = addressesOf('router', true);
    expect([url?.host, direct]).toEqual(['db:5432', null]);
    expect(addressesOf('adapters', true, pooler)).toEqual([null, null]);
  });
});
