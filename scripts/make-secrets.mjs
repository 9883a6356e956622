import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { thumbprint } from './launcher/service-keys.mjs';
import { services } from './launcher/services.mjs';

/**
 * Prints the secrets of a new installation, and keeps none: `node scripts/make-secrets.mjs > .env` for Docker Compose, with
 * `--kubernetes` Secrets to pipe into `kubectl apply -f -` (the stores' excepted, which are not ours to make).
 */
const random = () => randomBytes(32).toString('base64');
const kid = `kek-${randomBytes(4).toString('hex')}`;
const shared = {
  'gatehouse-kek': { GATEHOUSE_KEK_RING: JSON.stringify({ primary: kid, keys: { [kid]: random() } }) },
  'gatehouse-webhook': { GATEHOUSE_WEBHOOK_KEY: random() },
  'gatehouse-adapter': { GATEHOUSE_ADAPTER_SECRET: `whsec_${random()}` },
};

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

if (process.argv.includes('--kubernetes')) {
  const secrets = {
    ...shared,
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
    ...shared['gatehouse-kek'],
    ...shared['gatehouse-webhook'],
    ...shared['gatehouse-adapter'],
    ...Object.fromEntries(
      [...keys].map(([name, { own }]) => [`GATEHOUSE_SERVICE_KEY_${name.toUpperCase().replaceAll('-', '_')}`, own]),
    ),
    GATEHOUSE_SERVICE_ISSUERS: issuers,
  };
  // In single quotes nothing of it is read as a variable.
  for (const [name, value] of Object.entries(settings)) console.log(`${name}='${value}'`);
}
