// What is done to the installation while messages flow.
import { randomBytes } from 'node:crypto';
import { run, until } from '../disturbance/command.mjs';
import { redisPasswords } from './redis-passwords.mjs';

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {string} title
 * @property {string} [needs] the option without which it is left out
 * @property {(on: import('./installation.mjs').Installation) => Promise<unknown>} [prepare] before messages flow
 * @property {(on: import('./installation.mjs').Installation, options: import('./options.mjs').Options) => Promise<unknown>} strike
 *   ends when all is well again
 */

/** @param {import('./installation.mjs').Installation} on @param {string[]} pods @param {string[]} [how] */
const deletePods = ({ kubectl }, pods, how = []) =>
  kubectl(['delete', 'pod', '-n', 'gatehouse', ...pods, ...how, '--wait=false']);

/** Running pods of one service. @param {import('./installation.mjs').Installation} on @param {string} name */
async function podsOf({ kubectl }, name) {
  const { items } = await kubectl.json('pods', '-n', 'gatehouse', '-l', `app.kubernetes.io/name=${name}`);
  return items.filter(({ metadata, status }) => status.phase === 'Running' && !metadata.deletionTimestamp);
}

/** @param {import('./installation.mjs').Installation} on @param {string} name */
async function storeAway(on, name) {
  const [pod] = await podsOf(on, name);
  await deletePods(on, [pod.metadata.name]);
  await until(`${name} is back`, async () => {
    const [now] = await podsOf(on, name);
    return (
      now &&
      now.metadata.uid !== pod.metadata.uid &&
      now.status.containerStatuses.every((/** @type {any} */ { ready }) => ready)
    );
  });
  await on.settled();
}

/** Rolls where replicas share a node, as after a drain: what is taken away would otherwise have been all or nothing. */
async function spread(/** @type {import('./installation.mjs').Installation} */ on) {
  if ((await on.together()).length > 0) await on.roll();
}

/** @type {Row[]} */
export const rows = [
  { name: 'nothing', title: 'Nothing', strike: async () => undefined },
  { name: 'rollout', title: 'Rollout of all services', strike: (on) => on.roll() },
  { name: 'rollout-2', title: 'Rollout, second', strike: (on) => on.roll() },
  { name: 'rollout-3', title: 'Rollout, third', strike: (on) => on.roll() },
  { name: 'settings', title: 'Another setting', strike: (on) => on.change({ settings: { LOG_LEVEL: 'warn' } }) },
  {
    name: 'next',
    title: 'Next release, with a migration',
    needs: 'next',
    strike: (on, { next }) => on.change({ tag: next ?? '' }),
  },
  { name: 'back', title: 'Back to this release', needs: 'next', strike: (on, { tag }) => on.change({ tag }) },
  {
    name: 'drain',
    title: 'Drain of a node',
    strike: async (on) => {
      try {
        await on.kubectl([
          'drain',
          on.victim,
          '--ignore-daemonsets',
          '--delete-emptydir-data',
          '--pod-selector=app.kubernetes.io/part-of=gatehouse',
          '--timeout=900s',
        ]);
        await on.settled();
      } finally {
        await on.kubectl(['uncordon', on.victim]);
      }
    },
  },
  {
    name: 'force-delete',
    title: 'One pod of each service deleted by force',
    prepare: spread,
    strike: async (on) => {
      const pods = await Promise.all(on.names.map(async (name) => (await podsOf(on, name))[0]?.metadata.name));
      await deletePods(on, pods.filter(Boolean), ['--grace-period=0', '--force']);
      await on.settled();
    },
  },
  {
    name: 'power-cut',
    title: "A node's power cut",
    needs: 'cut',
    prepare: spread,
    strike: async (on, { cut = '', restore = '' }) => {
      await run(['sh', '-c', `${cut} ${on.victim}`]);
      try {
        await until('the node counts as dead', async () => {
          const { status } = await on.kubectl.json('node', on.victim);
          return status.conditions.find((/** @type {any} */ { type }) => type === 'Ready')?.status !== 'True';
        });
        await on.settled();
      } finally {
        await run(['sh', '-c', `${restore} ${on.victim}`]);
      }
      await until('the node is back', async () => {
        const { status } = await on.kubectl.json('node', on.victim);
        return status.conditions.find((/** @type {any} */ { type }) => type === 'Ready')?.status === 'True';
      });
      await on.settled();
    },
  },
  { name: 'redis', title: "Redis' pod deleted", strike: (on) => storeAway(on, 'redis') },
  { name: 'postgres', title: "Postgres' pod deleted", strike: (on) => storeAway(on, 'postgres') },
  {
    name: 'secret',
    title: "The adapters' Secret rotated, in three steps",
    strike: async (on) => {
      const { data } = await on.kubectl.json('secret', 'gatehouse-adapter', '-n', 'gatehouse');
      const old = Buffer.from(data.GATEHOUSE_ADAPTER_SECRET, 'base64').toString();
      const fresh = `whsec_${randomBytes(32).toString('base64')}`;
      for (const value of [`${old},${fresh}`, `${fresh},${old}`, fresh]) {
        const stringData = { GATEHOUSE_ADAPTER_SECRET: value };
        await on.kubectl([
          'patch',
          'secret',
          'gatehouse-adapter',
          '-n',
          'gatehouse',
          '-p',
          JSON.stringify({ stringData }),
        ]);
        await on.kubectl([
          'rollout',
          'restart',
          '-n',
          'gatehouse',
          'deployment/adapter-gateway',
          'deployment/adapters',
        ]);
        await on.settled();
      }
    },
  },
  { name: 'redis-passwords', title: "Other passwords of the services' users in Redis", strike: redisPasswords },
  {
    name: 'backup',
    title: 'The backup Job',
    strike: async ({ kubectl }) => {
      // `create job --from` of a kubectl knows only its own version of CronJob.
      const { spec } = await kubectl.json('cronjob', 'backup', '-n', 'gatehouse');
      const metadata = { name: 'backup-now', namespace: 'gatehouse' };
      const job = { apiVersion: 'batch/v1', kind: 'Job', metadata, spec: spec.jobTemplate.spec };
      await kubectl(['apply', '-f', '-'], JSON.stringify(job));
      await until('the backup is done', async () => {
        const { status } = await kubectl.json('job', 'backup-now', '-n', 'gatehouse');
        if (status.conditions?.some((/** @type {any} */ { type }) => type === 'Failed'))
          throw new Error('the backup failed');
        return status.succeeded === 1;
      });
    },
  },
];
