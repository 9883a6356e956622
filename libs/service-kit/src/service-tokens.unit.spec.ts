import { testServiceKey } from '#libs/testing';
import { exportJWK, generateKeyPair, importJWK, SignJWT } from 'jose';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Principal } from './principal.js';
import { readIssuers } from './service-issuers.js';
import { ServiceTokens } from './service-tokens.js';
import { SpentTokens } from './spent-tokens.js';
import type { Jwk } from './service-keys.js';

const newKey = (): Jwk => generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }) as Jwk;
const person: Principal = { subject: 'key:1', organizationId: 'org_a', projectId: 'prj_a', scopes: ['apps:read'] };

/** Serves what `keys` returns as a JWKS, and counts the requests. */
async function jwksServer(
  keys: () => unknown,
): Promise<{ url: string; asked: () => number; close: () => Promise<void> }> {
  let asked = 0;
  const server: Server = createServer((_request, response) => {
    asked += 1;
    response.setHeader('content-type', 'application/json').end(JSON.stringify(keys()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`,
    asked: () => asked,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

describe('tokens signed with one shared key', () => {
  const engine = new ServiceTokens(testServiceKey, 'engine');
  const vault = new ServiceTokens(testServiceKey, 'credential-vault');

  it('name their service and tenant, for one audience', async () => {
    const token = await engine.asService('credential-vault', 'org_a', 'prj_a');
    expect(await vault.verify(token)).toEqual({
      subject: 'service:engine',
      organizationId: 'org_a',
      projectId: 'prj_a',
      scopes: ['service'],
    });
    await expect(new ServiceTokens(testServiceKey, 'router').verify(token)).rejects.toThrow(/aud/);
  });

  it('give a service no scope of people, whatever it claims', async () => {
    const scopes = ['service' as const, 'admin' as const, 'credentials:write' as const];
    const claims = { subject: 'service:engine', organizationId: 'org_a', projectId: 'prj_a', scopes };
    expect((await vault.verify(await engine.mint('credential-vault', claims))).scopes).toEqual(['service']);
  });

  it('take no header of the caller for the tenant', async () => {
    const token = await engine.asService('credential-vault', 'org_a', 'prj_a');
    const elsewhere = { organizationId: 'org_b', projectId: 'prj_b' };
    expect((await vault.verify(token, elsewhere)).organizationId).toBe('org_a');
  });

  it('are refused with an unknown key, and once their key has been removed', async () => {
    const other = newKey();
    const token = await new ServiceTokens(other, 'engine').asService('credential-vault');
    await expect(vault.verify(token)).rejects.toThrow();
    const during = new ServiceTokens([testServiceKey, other], 'credential-vault');
    expect((await during.verify(token)).subject).toBe('service:engine');
    expect((await during.verify(await engine.asService('credential-vault'))).subject).toBe('service:engine');
  });
});

describe('tokens signed with one key per service', () => {
  it('prove which service signed; only the portal can speak for people', async () => {
    const [engineKey, portalKey] = [newKey(), newKey()];
    const [engine, portal] = [new ServiceTokens(engineKey, 'engine'), new ServiceTokens(portalKey, 'portal')];
    const issuers = { engine: await engine.jwks, portal: await portal.jwks };
    const vault = new ServiceTokens(newKey(), 'credential-vault', { issuers });
    expect((await vault.verify(await engine.asService('credential-vault'))).subject).toBe('service:engine');
    expect((await vault.verify(await portal.mint('credential-vault', person))).subject).toBe('key:1');
    await expect(vault.verify(await engine.mint('credential-vault', person))).rejects.toThrow(
      /engine may not issue tokens for key:1/,
    );
    const asPortal = await engine.mint('credential-vault', {
      ...person,
      subject: 'service:portal',
      scopes: ['service'],
    });
    await expect(vault.verify(asPortal)).rejects.toThrow(/engine may not issue tokens for service:portal/);
    const servant = await portal.mint('credential-vault', { ...person, scopes: ['service'] });
    await expect(vault.verify(servant)).rejects.toThrow(/key:1 is not a service/);
    const forged = await new ServiceTokens(engineKey, 'portal').mint('credential-vault', person);
    await expect(vault.verify(forged)).rejects.toThrow();
    const unknown = await new ServiceTokens(engineKey, 'router').asService('credential-vault');
    await expect(vault.verify(unknown)).rejects.toThrow(/the issuer gatehouse:router is not known here/);
  });

  it('follow a rotation through the JWKS, without a restart of the verifier', async () => {
    const [first, second] = [newKey(), newKey()];
    let engine = new ServiceTokens([first, second], 'engine');
    const published = await engine.jwks;
    const server = await jwksServer(() => published);
    try {
      const vault = new ServiceTokens(newKey(), 'credential-vault', { issuers: { engine: server.url } });
      expect((await vault.verify(await engine.asService('credential-vault'))).subject).toBe('service:engine');
      engine = new ServiceTokens([second, first], 'engine');
      expect((await vault.verify(await engine.asService('credential-vault'))).subject).toBe('service:engine');
      expect(server.asked()).toBe(1);
      const stranger = await new ServiceTokens(newKey(), 'engine').asService('credential-vault');
      await expect(vault.verify(stranger)).rejects.toThrow();
    } finally {
      await server.close();
    }
  });

  it('publish no private part', async () => {
    const { keys } = await new ServiceTokens([newKey(), newKey()], 'engine').jwks;
    expect(keys.map((key) => Object.keys(key).sort())).toEqual(Array(2).fill(['alg', 'crv', 'kid', 'kty', 'use', 'x']));
  });

  it('refuse a private key in the setting that everyone has', () => {
    expect(() => readIssuers({ engine: { keys: [newKey()] } })).toThrow(/engine is neither/);
    expect(() => readIssuers({ engine: 'no url' })).toThrow(/engine is neither/);
  });
});

describe('ServiceAccount tokens of the cluster', () => {
  const issuer = 'https://kubernetes.default.svc.cluster.local';
  let server: Awaited<ReturnType<typeof jwksServer>>;
  let sign: (claims: { sub: string; aud: string; iss?: string; lifetime?: string }) => Promise<string>;
  let vault: ServiceTokens;

  beforeAll(async () => {
    const { privateKey, publicKey } = await generateKeyPair('RS256');
    const jwk = { ...(await exportJWK(publicKey)), kid: 'cluster-1', alg: 'RS256', use: 'sig' };
    server = await jwksServer(() => ({ keys: [jwk] }));
    sign = ({ sub, aud, iss = issuer, lifetime = '10m' }) =>
      new SignJWT()
        .setProtectedHeader({ alg: 'RS256', kid: 'cluster-1' })
        .setIssuer(iss)
        .setSubject(sub)
        .setAudience(aud)
        .setIssuedAt()
        .setExpirationTime(lifetime)
        .sign(privateKey);
    const kubernetes = { issuer, jwksUrl: server.url, namespace: 'gatehouse', jwksTokenFile: null };
    vault = new ServiceTokens(newKey(), 'credential-vault', { kubernetes, issuers: {} });
  });
  afterAll(() => server.close());

  const gateway = { sub: 'system:serviceaccount:gatehouse:adapter-gateway', aud: 'gatehouse:credential-vault' };

  it('speak for the service of that name, in the tenant of the headers', async () => {
    const token = await sign(gateway);
    const inA = await vault.verify(token, { organizationId: 'org_a', projectId: 'prj_a' });
    expect(inA).toMatchObject({ subject: 'service:adapter-gateway', organizationId: 'org_a', projectId: 'prj_a' });
    expect((await vault.verify(token, { organizationId: 'org_b', projectId: 'prj_b' })).projectId).toBe('prj_b');
  });

  it.each([
    ['of another namespace', { ...gateway, sub: 'system:serviceaccount:default:adapter-gateway' }],
    ['of a user of the cluster', { ...gateway, sub: 'admin' }],
    ['for another audience', { ...gateway, aud: 'https://kubernetes.default.svc' }],
    ['of another cluster', { ...gateway, iss: 'https://elsewhere.example' }],
    ['that has expired', { ...gateway, lifetime: '-1m' }],
  ])('are refused %s', async (_what, claims) => {
    await expect(vault.verify(await sign(claims))).rejects.toThrow();
  });

  it('are refused where the cluster is not an issuer', async () => {
    await expect(new ServiceTokens(newKey(), 'credential-vault').verify(await sign(gateway))).rejects.toThrow();
  });

  it('are what a service presents, from the file of the audience', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'gatehouse-tokens-'));
    try {
      await writeFile(join(directory, 'credential-vault'), `${await sign(gateway)}\n`);
      const service = new ServiceTokens(newKey(), 'adapter-gateway', { projectedTokenDir: directory });
      const tenant = { organizationId: 'org_a', projectId: 'prj_a' };
      const headers = await service.headers('credential-vault', tenant);
      expect(headers).toMatchObject({ 'x-organization-id': 'org_a', 'x-project-id': 'prj_a' });
      const token = (headers['authorization'] ?? '').replace('Bearer ', '');
      expect((await vault.verify(token, tenant)).subject).toBe('service:adapter-gateway');
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});

describe('the age of a token', () => {
  const vault = new ServiceTokens(testServiceKey, 'credential-vault');
  const nowSeconds = (): number => Math.floor(Date.now() / 1000);
  /** What a stolen key could sign. */
  const forged = async (issuedAt: number | null, lifetimeSeconds: number): Promise<string> => {
    const token = new SignJWT({ org: 'org_a', prj: 'prj_a', scopes: ['service'] })
      .setProtectedHeader({ alg: 'EdDSA', kid: (await vault.jwks).keys[0]?.kid ?? '' })
      .setIssuer('gatehouse:engine')
      .setAudience('gatehouse:credential-vault')
      .setSubject('service:engine')
      .setExpirationTime(nowSeconds() + lifetimeSeconds);
    if (issuedAt !== null) token.setIssuedAt(issuedAt);
    return token.sign(await importJWK(testServiceKey, 'EdDSA'));
  };

  it('limits its use, whatever its expiry says', async () => {
    const tenYears = 10 * 365 * 86_400;
    expect((await vault.verify(await forged(nowSeconds() - 200, tenYears))).subject).toBe('service:engine');
    await expect(vault.verify(await forged(nowSeconds() - 400, tenYears))).rejects.toThrow(/iat/);
    await expect(vault.verify(await forged(null, tenYears))).rejects.toThrow(/iat/);
    await expect(vault.verify(await forged(nowSeconds() + 3_600, tenYears))).rejects.toThrow(/iat/);
  });

  it('is limited by a setting', async () => {
    const strict = new ServiceTokens(testServiceKey, 'credential-vault', { maxAgeSeconds: 60 });
    await expect(strict.verify(await forged(nowSeconds() - 100, 600))).rejects.toThrow(/iat/);
    expect((await strict.verify(await forged(nowSeconds() - 30, 600))).subject).toBe('service:engine');
  });

  it('may be some seconds negative, since clocks differ', async () => {
    expect((await vault.verify(await forged(nowSeconds() + 5, 120))).subject).toBe('service:engine');
  });
});

describe('a single-use token', () => {
  const engine = new ServiceTokens(testServiceKey, 'engine');

  it('is refused the second time, and another one is not', async () => {
    const vault = new ServiceTokens(testServiceKey, 'credential-vault');
    const token = await engine.asService('credential-vault', 'org_a', 'prj_a');
    expect((await vault.verifyOnce(token)).organizationId).toBe('org_a');
    await expect(vault.verifyOnce(token)).rejects.toThrow(/used before/);
    const next = await engine.asService('credential-vault', 'org_a', 'prj_a');
    expect((await vault.verifyOnce(next)).subject).toBe('service:engine');
  });

  it('is refused where no further one can be remembered', async () => {
    const vault = new ServiceTokens(testServiceKey, 'credential-vault', { rememberedTokens: 2 });
    const take = async (): Promise<unknown> => vault.verifyOnce(await engine.asService('credential-vault'));
    await take();
    await take();
    await expect(take()).rejects.toThrow(/2 used tokens are remembered/);
  });
});

describe('a used token', () => {
  it('is forgotten after its expiry, and not before', () => {
    const spent = new SpentTokens(2);
    spent.spend('a', 1_000, 0);
    spent.spend('b', 3_000, 0);
    expect(() => spent.spend('a', 1_000, 500)).toThrow(/used before/);
    expect(() => spent.spend('c', 3_000, 500)).toThrow(/2 used tokens/);
    spent.spend('c', 3_000, 1_500);
    expect(() => spent.spend('b', 3_000, 1_500)).toThrow(/used before/);
    expect(spent.size).toBe(2);
  });
});
