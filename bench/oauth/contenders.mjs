import { spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../../scripts/launcher/ports.mjs';

/**
 * One way of refreshing tokens, run as four processes with a database and a Redis of their own.
 * @typedef {object} Contender
 * @property {string} name
 * @property {string} table that holds its grants
 * @property {pg.Pool} db
 * @property {(refreshTokens: string[], expiresInSeconds?: (index: number) => number) => Promise<string[]>} makeGrants
 * @property {(id: string, process: number) => Promise<string | null>} token null where the caller got none
 * @property {(id: string) => Promise<{says: string, refreshToken: string | null, version: number}>} row
 * @property {(index: number) => void} kill
 * @property {(index: number) => Promise<void>} start
 * @property {() => Promise<void>} close
 */

const count = 4;
const project = { organizationId: 'org_bench', projectId: 'prj_bench' };
const client = { id: 'gatehouse', secret: 'a-client-secret' };

/** @param {(index: number, port: number) => {args: string[], env?: NodeJS.ProcessEnv}} command @param {(port: number) => Promise<boolean>} isReady */
async function processes(command, isReady) {
  const ports = await Promise.all(Array.from({ length: count }, () => freePort()));
  /** @type {import('node:child_process').ChildProcess[]} */
  const children = [];
  const start = async (/** @type {number} */ index) => {
    const port = ports[index] ?? 0;
    const { args, env } = command(index, port);
    children[index] = spawn(process.execPath, args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, ...env },
    });
    const deadline = Date.now() + 30_000;
    while (!(await isReady(port).catch(() => false))) {
      if (Date.now() > deadline) throw new Error(`${args[0]} does not get ready`);
      await sleep(50);
    }
  };
  for (let index = 0; index < count; index += 1) await start(index);
  return { ports, start, kill: (/** @type {number} */ index) => void children[index]?.kill('SIGKILL') };
}

/** @param {{databaseUrl: string, redisUrl: string, providerUrl: string, lockMs: number}} given @returns {Promise<Contender>} */
export async function startNaive({ databaseUrl, redisUrl, providerUrl, lockMs }) {
  const db = new pg.Pool({ connectionString: databaseUrl, max: 4 });
  db.on('error', () => undefined);
  await db.query(
    `CREATE TABLE naive (id text PRIMARY KEY, access_token text, refresh_token text, expires_at timestamptz,
       state text NOT NULL DEFAULT 'active')`,
  );
  const script = new URL('naive.mjs', import.meta.url).pathname;
  const options = { databaseUrl, redisUrl, tokenUrl: `${providerUrl}/token`, lockMs };
  const { ports, start, kill } = await processes(
    (_index, port) => ({ args: [script, JSON.stringify({ ...options, port })] }),
    async (port) => (await fetch(`http://127.0.0.1:${port}/none`)).status > 0,
  );
  return {
    name: 'lock with a TTL, plain update',
    table: 'naive',
    db,
    start,
    kill,
    makeGrants: async (tokens) => {
      const ids = tokens.map(() => randomBytes(8).toString('hex'));
      await db.query('INSERT INTO naive SELECT *, now() FROM unnest($1::text[], $2::text[], $3::text[])', [
        ids,
        tokens.map(() => 'old'),
        tokens,
      ]);
      return ids;
    },
    token: async (id, process) => {
      const answer = await fetch(`http://127.0.0.1:${ports[process]}/${id}`).catch(() => null);
      return answer?.ok ? answer.text() : null;
    },
    row: async (id) => {
      const { rows } = await db.query('SELECT state, refresh_token FROM naive WHERE id = $1', [id]);
      return { says: rows[0].state, refreshToken: rows[0].refresh_token, version: 0 };
    },
    close: async () => {
      for (let index = 0; index < count; index += 1) kill(index);
      await db.end();
    },
  };
}

/** @param {{databaseUrl: string, redisUrl: string, providerUrl: string, lockMs: number}} given @returns {Promise<Contender>} */
export async function startVault({ databaseUrl, redisUrl, providerUrl, lockMs }) {
  const { migrateAll } = await import('../../dist/libs/database/src/index.js');
  const { ServiceTokens } = await import('../../dist/libs/service-kit/src/index.js');
  const vault = '../../dist/apps/credential-vault/src';
  const { KekRing } = await import(`${vault}/sealing/kek-ring.js`);
  const { DekCache, Sealer } = await import(`${vault}/sealing/sealer.js`);
  const { Secret } = await import(`${vault}/sealing/secret.js`);
  const { GrantSealer } = await import(`${vault}/grants/grant-sealer.js`);
  await migrateAll(databaseUrl, 'js');
  const kek = randomBytes(32);
  const serviceKey = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const sealer = new Sealer(new KekRing('k1', new Map([['k1', kek]])), new DekCache(60_000, 10));
  const grants = new GrantSealer(sealer);
  const db = new pg.Pool({ connectionString: databaseUrl, max: 4 });
  db.on('error', () => undefined);
  const env = {
    HOST: '127.0.0.1',
    LOG_LEVEL: 'error',
    NODE_ENV: 'development',
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    SERVICE_POLICY: JSON.stringify({
      'adapter-gateway': { may: ['resolve', 'resolve_unbound'], consumers: ['app'] },
    }),
    GATEWAY_URL: 'http://127.0.0.1:9',
    PUBLIC_URL: 'http://127.0.0.1:9',
    GATEHOUSE_EGRESS_ALLOW: '127.0.0.1',
    REFRESH_LEASE_MS: String(lockMs),
    REFRESH_TAKEOVER_MS: '2000',
    REFRESH_WAIT_MS: '15000',
    REFRESH_SWEEP_MS: '5000',
    GATEHOUSE_SERVICE_KEY: JSON.stringify(serviceKey),
    GATEHOUSE_KEK_RING: JSON.stringify({ primary: 'k1', keys: { k1: kek.toString('base64') } }),
  };
  const { ports, start, kill } = await processes(
    (_index, port) => ({
      args: ['dist/apps/credential-vault/src/main.js'],
      env: { ...env, PORT: String(port), OPERATIONS_PORT: '0' },
    }),
    async (port) => (await fetch(`http://127.0.0.1:${port}/health/ready`)).ok,
  );
  const tokens = new ServiceTokens(serviceKey, 'adapter-gateway');
  const provider = {
    slug: 'bench',
    issuer: providerUrl,
    authorization_url: null,
    token_url: `${providerUrl}/token`,
    revocation_url: null,
    iss_in_answers: true,
    scopes: [],
    scope_separator: ' ',
    pkce: true,
    token_auth_method: 'client_secret_basic',
    extra_authorize_params: {},
    quirks: {},
  };
  const ownerOf = (/** @type {string} */ id) => ({ organization_id: project.organizationId, credential_id: id });

  /** @param {{id: string, refreshToken: string, expiresIn: number}[]} made */
  async function insert(made) {
    /** @type {object[]} */
    const credentials = [];
    /** @type {object[]} */
    const fields = [];
    /** @type {object[]} */
    const rows = [];
    const hex = (/** @type {Buffer} */ bytes) => `\\x${bytes.toString('hex')}`;
    for (const { id, refreshToken, expiresIn } of made) {
      const place = { organizationId: project.organizationId, credentialId: id, type: 'oauth2', generation: 1 };
      const secrets = new Map(Object.entries(client).map(([name, value]) => [`client_${name}`, new Secret(value)]));
      const sealed = await sealer.seal(place, secrets);
      credentials.push({ id, kid: sealed.kid, dek: hex(sealed.wrappedDek) });
      for (const [field, bytes] of sealed.fields) fields.push({ id, field, sealed: hex(bytes) });
      const tokens = await grants.sealTokens(ownerOf(id), 1, new Secret(`old-${id}`), new Secret(refreshToken));
      const { accessToken, refreshToken: kept } = tokens;
      rows.push({
        id,
        kid: tokens.kid,
        dek: hex(tokens.wrappedDek),
        at: hex(accessToken),
        rt: hex(kept),
        seconds: expiresIn,
      });
    }
    const scope = [project.organizationId, project.projectId];
    await db.query(
      `INSERT INTO vault.credential (id, organization_id, project_id, name, type, "grant", kid, wrapped_dek, generation, status)
       SELECT id, $2, $3, id, 'oauth2', 'authorization_code', kid, dek, 1, 'active'
         FROM json_to_recordset($1) AS r (id text, kid text, dek bytea)`,
      [JSON.stringify(credentials), ...scope],
    );
    await db.query(
      `INSERT INTO vault.credential_field (credential_id, field, sealed, generation)
       SELECT id, field, sealed, 1 FROM json_to_recordset($1) AS r (id text, field text, sealed bytea)`,
      [JSON.stringify(fields)],
    );
    await db.query(
      `INSERT INTO vault.oauth_grant (credential_id, organization_id, project_id, grant_type, provider_slug, provider, client_key,
         state, version, kid, wrapped_dek, access_token, refresh_token, obtained_at, at_expires_at, refresh_due_at,
         client_config_version, consecutive_failures, unanswered, next_try_at, scopes, missing_scopes)
       SELECT id, $2, $3, 'authorization_code', 'bench', $4::jsonb, 'bench', 'active', 1, kid, dek, at, rt,
         now() - interval '1 hour', now() + make_interval(secs => seconds),
         now() + make_interval(secs => seconds) - interval '5 minutes', 1, 0, 0, now(), '{}', '{}'
         FROM json_to_recordset($1) AS r (id text, kid text, dek bytea, at bytea, rt bytea, seconds double precision)`,
      [JSON.stringify(rows), ...scope, JSON.stringify(provider)],
    );
  }

  return {
    name: 'Gatehouse',
    table: 'vault.oauth_grant',
    db,
    start,
    kill,
    makeGrants: async (refreshTokens, expiresIn = () => -1) => {
      const ids = refreshTokens.map(() => `cred_${randomBytes(8).toString('hex')}`);
      const made = ids.map((id, at) => ({ id, refreshToken: refreshTokens[at] ?? '', expiresIn: expiresIn(at) }));
      for (let at = 0; at < made.length; at += 500) await insert(made.slice(at, at + 500));
      return ids;
    },
    token: async (id, process) => {
      const authorization = `Bearer ${await tokens.asService('credential-vault', project.organizationId, project.projectId)}`;
      const answer = await fetch(`http://127.0.0.1:${ports[process]}/internal/credentials/resolve`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ credential_id: id }),
      }).catch(() => null);
      const body = /** @type {any} */ (await answer?.json().catch(() => null));
      return answer?.ok ? body.fields.access_token : null;
    },
    row: async (id) => {
      const { rows } = await db.query('SELECT * FROM vault.oauth_grant WHERE credential_id = $1', [id]);
      const { refreshToken } = await grants.openTokens(rows[0]);
      const { state, reason, version } = rows[0];
      return { says: reason ? `${state} (${reason})` : state, refreshToken: refreshToken?.reveal() ?? null, version };
    },
    close: async () => {
      for (let index = 0; index < count; index += 1) kill(index);
      await db.end();
    },
  };
}
