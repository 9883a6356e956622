import { memoryEnv } from './memory.mjs';

/**
 * A process of the system and the services that it runs: a single one, or those that it hosts.
 * @typedef {object} Group
 * @property {string} name also its log's name
 * @property {string} entry what Node runs, from the project's root
 * @property {import('./services.mjs').Service[]} services
 * @property {number} niceness
 */

const host = { name: 'host', entry: 'dist/apps/host/src/main.js' };
/** As in `apps/host`: what a message passes. */
const path = ['webhook-ingress', 'adapter-gateway', 'router', 'engine'];

/**
 * The names of the services that share one process: `--small` selects all that may, GATEHOUSE_SERVICES lists them, with
 * `path` for those that a message passes.
 * @param {import('./services.mjs').Service[]} services
 * @param {NodeJS.ProcessEnv} env
 * @param {string[]} args
 * @returns {string[]}
 * @throws Error that names those that may
 */
export function hostedServices(services, env, args) {
  const may = services.filter(({ hostable }) => hostable).map(({ name }) => name);
  const asked = (args.includes('--small') ? 'all' : (env.GATEHOUSE_SERVICES ?? ''))
    .split(',')
    .map((name) => name.trim())
    .flatMap((name) => (name === 'path' ? path : [name]));
  if (asked.includes('all')) return may;
  const wrong = asked.filter((name) => name !== '' && !may.includes(name));
  if (wrong.length > 0) {
    throw new Error(
      `GATEHOUSE_SERVICES names ${wrong.join(', ')}: one process hosts all, path, or some of ${may.join(', ')}`,
    );
  }
  return may.filter((name) => asked.includes(name));
}

/**
 * Assigns the services to processes: one each, except for the hosted ones.
 * @param {import('./services.mjs').Service[]} services
 * @param {string[]} hosted
 * @returns {Group[]}
 */
export function groupServices(services, hosted) {
  const together = services.filter(({ name }) => hosted.includes(name));
  const alone = services.filter(({ name }) => !hosted.includes(name));
  return [
    ...(together.length > 0 ? [{ ...host, services: together, niceness: 0 }] : []),
    ...alone.map((service) => ({ ...service, services: [service] })),
  ];
}

/**
 * The environment of a process. A host gets the values that all its services share, and a service's own values under
 * its name (`ROUTER_DATABASE_URL`).
 * @param {Group} group
 * @param {(name: string) => NodeJS.ProcessEnv} envOf of each service
 * @returns {NodeJS.ProcessEnv}
 */
export function groupEnv({ name, services }, envOf) {
  if (name !== host.name) return envOf(name);
  const envs = services.map((service) => ({ service, env: Object.entries(envOf(service.name)) }));
  const [first] = envs;
  const isShared = (/** @type {string} */ variable, /** @type {string | undefined} */ value) =>
    envs.every(({ env }) => env.some(([known, own]) => known === variable && own === value));
  const shared = first?.env.filter(([variable, value]) => isShared(variable, value)) ?? [];
  const own = envs.flatMap(({ service, env }) =>
    env
      .filter(([variable, value]) => value !== undefined && !isShared(variable, value))
      .map(([variable, value]) => [`${service.name.toUpperCase().replaceAll('-', '_')}_${variable}`, value]),
  );
  const names = services.map((service) => service.name).join(',');
  const env = Object.fromEntries([...shared, ...own]);
  const ours = memoryEnv({ ...env, NODE_OPTIONS: undefined });
  // Unless the installation has its own.
  const more = env.NODE_OPTIONS === ours.NODE_OPTIONS ? memoryEnv({ ...env, NODE_OPTIONS: undefined }, true) : {};
  return { ...env, ...more, GATEHOUSE_SERVICES: names };
}
