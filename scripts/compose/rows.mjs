// What is done to the installation while messages flow.
import { setTimeout as pause } from 'node:timers/promises';
import {
  adapterSecret,
  postgresAdministrator,
  postgresRoles,
  redisPasswords,
  signedApp,
  signingSecret,
} from './rotations.mjs';

/**
 * @typedef {import('./installation.mjs').Installation} Installation
 * @typedef {object} Row
 * @property {string} name
 * @property {string} title
 * @property {number} [may] how many may be refused with the proxy and two ingresses; none otherwise
 * @property {boolean} [proxied] only where there is a proxy
 * @property {boolean} [whole] afterwards Compose would replace nothing
 * @property {(on: Installation) => Promise<{url: string, secret: string, credential: string} | void>} [prepare] before messages flow
 * @property {(on: Installation, prepared: {credential: string} | void) => Promise<unknown>} strike ends when all is well again
 */

const AWAY_MS = 20_000;
/** Where a store or everything is away, senders are refused and send again. */
const ANY = Infinity;

/** One container after the other. @param {Installation} on @param {string} service */
async function restart(on, service) {
  for (const container of await on.containersOf(service)) {
    await on.sh(`docker restart ${container}`);
    await on.healthy();
  }
}

/** @param {string} store @returns {Row} */
const away = (store) => ({
  name: `${store}-away`,
  title: `${store} away for 20 s`,
  may: ANY,
  strike: async (on) => {
    await on.sh(`docker compose stop ${store}`);
    await pause(AWAY_MS);
    await on.sh(`docker compose start ${store}`);
    await on.healthy();
  },
});

/** @param {string[]} names @returns {Row[]} */
export const rowsOf = (names) => [
  { name: 'nothing', title: 'Nothing', strike: async () => undefined },
  {
    name: 'scale',
    title: 'Portal and ingress scaled to two',
    proxied: true,
    strike: (on) => on.scale({ 'webhook-ingress': 2, portal: 2 }),
  },
  ...names.map((name) => ({
    name: `restart-${name}`,
    title: `Restart of ${name}`,
    strike: (/** @type {Installation} */ on) => restart(on, name),
  })),
  away('redis'),
  away('postgres'),
  {
    name: 'settings',
    whole: true,
    title: 'Another setting, by upgrade.sh',
    strike: (on) => {
      on.set({ LOG_LEVEL: 'warn' });
      return on.upgrade();
    },
  },
  {
    name: 'next',
    whole: true,
    title: 'Next release with a migration, by upgrade.sh',
    prepare: (on) => on.makeNext(),
    strike: (on) => {
      on.release('next');
      return on.upgrade();
    },
  },
  {
    name: 'back',
    whole: true,
    title: 'Back to this release, by upgrade.sh',
    strike: (on) => {
      on.release(null);
      return on.upgrade();
    },
  },
  {
    name: 'postgres-roles',
    whole: true,
    title: "Passwords of the services' roles in Postgres",
    strike: postgresRoles,
  },
  {
    name: 'postgres-password',
    title: 'POSTGRES_PASSWORD',
    // Postgres itself is replaced at a time of one's choice.
    strike: postgresAdministrator,
  },
  {
    name: 'stores',
    whole: true,
    title: 'upgrade.sh --stores: Postgres replaced',
    may: ANY,
    strike: (on) => on.upgrade('--stores'),
  },
  {
    name: 'redis-passwords',
    whole: true,
    title: "Passwords of the services' users in Redis",
    strike: redisPasswords,
  },
  { name: 'adapter-secret', whole: true, title: "The adapters' secret, in three steps", strike: adapterSecret },
  {
    name: 'signing-secret',
    title: "A provider's signing secret",
    prepare: signedApp,
    strike: (on, prepared) => signingSecret(on, prepared?.credential ?? ''),
  },
  { name: 'backup', title: 'A backup', strike: (on) => on.sh('sh deploy/backup.sh backups') },
  {
    name: 'restore',
    title: 'That backup restored, into a database that is not empty',
    may: ANY,
    // What came after a backup is not in it, so another one is taken when nothing comes.
    prepare: async (on) => {
      await on.sh('rm -rf backups && sh deploy/backup.sh backups');
      await on.sh('docker compose down && docker compose up --detach --wait postgres');
      await on.sh('docker compose up --detach --no-deps --wait observer');
    },
    strike: async (on) => {
      await on.sh('sh deploy/restore.sh backups/* --replace');
      await on.up();
    },
  },
];
