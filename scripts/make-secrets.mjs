import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { thumbprint } from './launcher/service-keys.mjs';
import { aclFile, composePasswords, queuesOf, redisUser } from './launcher/redis-users.mjs';
import { services } from './launcher/services.mjs';

const help = `Prints the secrets of a new installation and stores none.

  node scripts/make-secrets.mjs > .env                                   for Docker Compose; then chmod 600 .env
  node scripts/make-secrets.mjs --kubernetes | kubectl apply -f -        as Secrets

With --kubernetes, for stores other than those of the dev overlay:
  --postgres=HOST:PORT/DATABASE   where Postgres is
  --redis=HOST:PORT               where Redis is
  --tls                           they are reached over TLS
`;

const options = /** @type {const} */ ({
  kubernetes: { type: 'boolean', default: false },
  postgres: { type: 'string', default: 'postgres:5432/gatehouse' },
  redis: { type: 'string', default: 'redis:6379' },
  tls: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
});

/** What is asked for. With anything unknown nothing is printed: half of an answer would end up in a file. */
function asked() {
  try {
    const { values } = parseArgs({ options, allowPositionals: false });
    const given = process.argv.slice(2).find((argument) => /^--(postgres|redis|tls)/.test(argument));
    if (given && !values.kubernetes) throw new Error(`${given} is for --kubernetes: Compose has stores of its own.`);
    return values;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`make-secrets  ${reason.replace(/\.?$/, '.')} Nothing was printed.\n\n${help}`);
    process.exit(2);
  }
}

const { kubernetes, postgres: postgresAt, redis: redisAt, tls, help: isHelp } = asked();
if (isHelp) {
  process.stderr.write(help);
  process.exit(0);
}

const random = () => randomBytes(32).toString('base64');
const kid = `kek-${randomBytes(4).toString('hex')}`;
const shared = {
  'gatehouse-kek': { GATEHOUSE_KEK_RING: JSON.stringify({ primary: kid, keys: { [kid]: random() } }) },
  'gatehouse-webhook': { GATEHOUSE_WEBHOOK_KEY: random() },
  'gatehouse-adapter': { GATEHOUSE_ADAPTER_SECRET: `whsec_${random()}` },
};

const hex = () => randomBytes(24).toString('hex');
const databaseUsers = ['owner', ...Object.keys(queuesOf)];
const databasePasswords = Object.fromEntries(databaseUsers.map((user) => [user, hex()]));
const redisPasswords = Object.fromEntries(['admin', ...Object.keys(queuesOf)].map((user) => [user, hex()]));
const redisPasswordOf = (/** @type {string} */ user) => redisPasswords[user] ?? '';
const variableOf = (/** @type {string} */ user) => `POSTGRES_PASSWORD_${user.toUpperCase().replaceAll('-', '_')}`;

/** The stores' Secrets: one for each service, which no other pod gets. */
function storeSecrets() {
  const admin = hex();
  const postgres = (/** @type {string} */ user, /** @type {string | undefined} */ password) =>
    `postgres://${user}:${password}@${postgresAt}${tls ? '?sslmode=verify-full' : ''}`;
  const redis = (/** @type {string} */ user) =>
    `${tls ? 'rediss' : 'redis'}://${redisUser(user)}:${redisPasswordOf(user)}@${redisAt}`;
  const stores = databaseUsers.map((user) => [
    user === 'owner' ? 'database-owner' : `${user}-stores`,
    {
      DATABASE_URL: postgres(redisUser(user), databasePasswords[user]),
      ...(user === 'owner' ? {} : { REDIS_URL: redis(user) }),
    },
  ]);
  return {
    ...Object.fromEntries(stores),
    'database-admin': {
      POSTGRES_PASSWORD: admin,
      DATABASE_ADMIN_URL: postgres('gatehouse', admin),
      GATEHOUSE_DATABASE_PASSWORDS: JSON.stringify(databasePasswords),
    },
    'redis-users': { 'users.acl': aclFile(redisPasswordOf), REDISCLI_AUTH: redisPasswordOf('admin') },
  };
}

// These call no other service.
const silent = ['adapters', 'python-runner'];
const signers = services.map(({ name }) => name).filter((name) => !silent.includes(name));
const keys = new Map(
  signers.map((name) => {
    const { d, ...open } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
    const named = { ...open, kid: thumbprint(open) };
    return [name, { open: named, own: JSON.stringify({ ...named, d }) }];
  }),
);
const issuers = JSON.stringify(Object.fromEntries([...keys].map(([name, { open }]) => [name, { keys: [open] }])));

if (kubernetes) {
  const secrets = {
    ...shared,
    ...storeSecrets(),
    'gatehouse-service-issuers': { GATEHOUSE_SERVICE_ISSUERS: issuers },
    ...Object.fromEntries([...keys].map(([name, { own }]) => [`${name}-key`, { GATEHOUSE_SERVICE_KEY: own }])),
  };
  for (const [name, stringData] of Object.entries(secrets)) {
    const metadata = { name, namespace: 'gatehouse' };
    console.log(`---\n${JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata, stringData })}`);
  }
} else {
  const settings = {
    POSTGRES_PASSWORD: randomBytes(32).toString('hex'),
    ...Object.fromEntries(databaseUsers.map((user) => [variableOf(user), databasePasswords[user]])),
    ...composePasswords(redisPasswordOf),
    ...shared['gatehouse-kek'],
    ...shared['gatehouse-webhook'],
    ...shared['gatehouse-adapter'],
    ...Object.fromEntries(
      [...keys].map(([name, { own }]) => [`GATEHOUSE_SERVICE_KEY_${name.toUpperCase().replaceAll('-', '_')}`, own]),
    ),
    GATEHOUSE_SERVICE_ISSUERS: issuers,
  };
  // Single quotes, so that no part is expanded as a variable.
  for (const [name, value] of Object.entries(settings)) console.log(`${name}='${value}'`);
}
