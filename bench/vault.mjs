import { generateKeyPairSync, randomBytes } from 'node:crypto';
import pg from 'pg';
import { Pool } from 'undici';
import { ServiceTokens } from '../dist/libs/service-kit/src/index.js';
import { KekRing } from '../dist/apps/credential-vault/src/sealing/kek-ring.js';
import { DekCache, Sealer } from '../dist/apps/credential-vault/src/sealing/sealer.js';
import { Secret } from '../dist/apps/credential-vault/src/sealing/secret.js';
import { startGatehouse } from './gatehouse.mjs';
import { shown, table } from './table.mjs';

const tenant = { organizationId: 'org_bench', projectId: 'prj_bench' };
const hot = 2_000;
const seedBatch = 2_000;

/**
 * What the vault costs the gateway, and a rotation of the KEK while credentials are read.
 * @param {{credentials: number, seconds: number}} options
 */
export async function benchVault({ credentials, seconds }) {
  const keys = { k1: randomBytes(32), k2: randomBytes(32) };
  const ring = (/** @type {'k1' | 'k2'} */ primary) =>
    JSON.stringify({ primary, keys: { k1: keys.k1.toString('base64'), k2: keys.k2.toString('base64') } });
  const serviceKey = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  /** @type {NodeJS.ProcessEnv} */
  const vaultEnv = { GATEHOUSE_KEK_RING: ring('k1') };
  const gatehouse = await startGatehouse({
    name: 'vault',
    env: {
      GATEHOUSE_SERVICE_KEY: JSON.stringify(serviceKey),
      SERVICE_POLICY: JSON.stringify({
        'adapter-gateway': { may: ['resolve', 'resolve_unbound'], consumers: ['app'] },
      }),
    },
    serviceEnv: { 'credential-vault': vaultEnv },
  });
  const restart = async (/** @type {NodeJS.ProcessEnv} */ env) => {
    Object.assign(vaultEnv, env);
    await gatehouse.stop(['credential-vault']);
    await gatehouse.start(['credential-vault']);
  };
  try {
    await gatehouse.stop(['webhook-ingress', 'adapter-gateway', 'router', 'engine', 'adapters', 'portal']);
    const ids = await seed(gatehouse.postgres.url, new KekRing('k1', new Map(Object.entries(keys))), credentials);
    const client = vaultClient(gatehouse.urlOf('credential-vault'), serviceKey);
    const some = ids.slice(0, hot);
    const pick = () => some[Math.floor(Math.random() * some.length)];
    const one = () => client.post('adapter-gateway', '/resolve', { credential_id: pick() });
    const bound = () =>
      client.post('adapter-gateway', '/resolve', { credential_id: pick(), consumer: { kind: 'app', id: 'app_bench' } });
    const batch = () =>
      client.post('adapter-gateway', '/resolve-batch', {
        credentials: Array.from({ length: 100 }, () => ({ credential_id: pick() })),
      });
    const rows = [];
    for (const [cache, env] of /** @type {const} */ ([
      ['60 s', { DEK_CACHE_MS: '60000' }],
      ['off', { DEK_CACHE_MS: '0' }],
    ])) {
      await restart(env);
      await load(one, 32, 3);
      rows.push([
        'one',
        cache,
        ...figures(await load(one, 1, seconds), 1),
        ...figures(await load(one, 32, seconds), 1),
      ]);
      rows.push([
        'by its binding',
        cache,
        ...figures(await load(bound, 1, seconds), 1),
        ...figures(await load(bound, 32, seconds), 1),
      ]);
      rows.push([
        'batch of 100',
        cache,
        ...figures(await load(batch, 1, seconds), 100),
        ...figures(await load(batch, 8, seconds), 100),
      ]);
      process.stdout.write(`  ${JSON.stringify(rows.slice(-3))}\n`);
    }

    await restart({ DEK_CACHE_MS: '60000', GATEHOUSE_KEK_RING: ring('k2') });
    const any = () =>
      client.post('adapter-gateway', '/resolve', { credential_id: ids[Math.floor(Math.random() * ids.length)] });
    await load(any, 4, 3);
    const running = { on: true };
    const reads = load(any, 4, 3_600, running);
    const began = performance.now();
    let rewrapped = 0;
    for (let finished = false; !finished;) {
      const step = await client.keys('/rewrap', { to: 'k2' });
      rewrapped += step.rewrapped;
      finished = step.finished && step.rewrapped === 0;
    }
    const tookMs = performance.now() - began;
    running.on = false;
    const meanwhile = await reads;
    await client.close();
    return [
      table(
        [
          'resolve',
          'DEK cache',
          'alone p50 ms',
          'p99 ms',
          'credentials/s',
          '32 at once (batch: 8) p50 ms',
          'p99 ms',
          'credentials/s',
        ],
        rows,
      ),
      '',
      `Rewrap of ${rewrapped} data keys in ${shown(tookMs / 1000)} s: ${shown(rewrapped / (tookMs / 1000), 0)} rows/s; meanwhile ` +
        `${meanwhile.times.length} reads, ${meanwhile.failed} failed, p50 ${shown(at(meanwhile.times, 0.5), 2)} ms, ` +
        `p99 ${shown(at(meanwhile.times, 0.99), 2)} ms`,
    ].join('\n');
  } finally {
    await gatehouse.close();
  }
}

/** @param {string} databaseUrl @param {KekRing} keys @param {number} count */
async function seed(databaseUrl, keys, count) {
  const sealer = new Sealer(keys, new DekCache(0, 1));
  const db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();
  /** @type {string[]} */
  const ids = [];
  for (let from = 0; from < count; from += seedBatch) {
    const batch = await Promise.all(
      Array.from({ length: Math.min(seedBatch, count - from) }, async (_, n) => {
        const id = `cred_${String(from + n).padStart(32, '0')}`;
        const fields = new Map(
          ['username', 'password'].map((name) => [name, new Secret(randomBytes(24).toString('hex'))]),
        );
        const place = { organizationId: tenant.organizationId, credentialId: id, type: 'text', generation: 1 };
        return { id, sealed: await sealer.seal(place, fields) };
      }),
    );
    ids.push(...batch.map(({ id }) => id));
    await db.query(
      `INSERT INTO vault.credential (id, organization_id, project_id, name, type, kid, wrapped_dek, generation, status)
       SELECT id, $3, $4, id, 'text', 'k1', dek, 1, 'active' FROM unnest($1::text[], $2::bytea[]) AS n (id, dek)`,
      [
        batch.map(({ id }) => id),
        batch.map(({ sealed }) => sealed.wrappedDek),
        tenant.organizationId,
        tenant.projectId,
      ],
    );
    const fields = batch.flatMap(({ id, sealed }) =>
      [...sealed.fields].map(([field, bytes]) => ({ id, field, bytes })),
    );
    await db.query(
      `INSERT INTO vault.credential_field (credential_id, field, sealed, generation)
       SELECT id, field, bytes, 1 FROM unnest($1::text[], $2::text[], $3::bytea[]) AS n (id, field, bytes)`,
      [fields.map(({ id }) => id), fields.map(({ field }) => field), fields.map(({ bytes }) => bytes)],
    );
  }
  await db.query(
    `INSERT INTO vault.credential_binding (id, organization_id, project_id, credential_id, consumer_kind, consumer_id, maps_to, approved, created_by)
     SELECT 'bnd_' || id, organization_id, project_id, id, 'app', 'app_bench', '{"password": "smtp_password"}', '{}', 'bench'
       FROM vault.credential ORDER BY id LIMIT $1`,
    [hot],
  );
  await db.query('ANALYZE vault.credential, vault.credential_field, vault.credential_binding');
  await db.end();
  return ids;
}

/** @param {string} origin @param {import('node:crypto').JsonWebKey} serviceKey */
function vaultClient(origin, serviceKey) {
  const pool = new Pool(origin, { connections: 64 });
  const tokens = new Map(
    ['adapter-gateway', 'credential-vault'].map((name) => [name, new ServiceTokens(serviceKey, name)]),
  );
  /** @param {string} as @param {string} path @param {object} body @returns {Promise<any>} */
  async function post(as, path, body) {
    const token = await tokens.get(as)?.asService('credential-vault', tenant.organizationId, tenant.projectId);
    const answer = await pool.request({
      method: 'POST',
      path,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}: ${text.slice(0, 200)}`);
    return JSON.parse(text);
  }
  return {
    post: (/** @type {string} */ as, /** @type {string} */ path, /** @type {object} */ body) =>
      post(as, `/internal/credentials${path}`, body),
    keys: (/** @type {string} */ path, /** @type {object} */ body) =>
      post('credential-vault', `/internal/keys${path}`, body),
    close: () => pool.close(),
  };
}

/**
 * Callers that each have one call in flight.
 * @param {() => Promise<unknown>} call
 * @param {number} callers
 * @param {number} seconds
 * @param {{on: boolean}} [running] stops it early
 */
async function load(call, callers, seconds, running = { on: true }) {
  /** @type {number[]} */
  const times = [];
  let failed = 0;
  const began = performance.now();
  const until = began + seconds * 1000;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (running.on && performance.now() < until) {
        const start = performance.now();
        try {
          await call();
        } catch {
          failed += 1;
        }
        times.push(performance.now() - start);
      }
    }),
  );
  return { times: times.sort((a, b) => a - b), failed, seconds: (performance.now() - began) / 1000 };
}

/** @param {number[]} sorted @param {number} share */
const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

/** @param {Awaited<ReturnType<typeof load>>} result @param {number} credentials of one call */
function figures({ times, failed, seconds }, credentials) {
  if (failed > 0) throw new Error(`${failed} calls failed`);
  return [shown(at(times, 0.5), 2), shown(at(times, 0.99), 2), shown((times.length * credentials) / seconds, 0)];
}
