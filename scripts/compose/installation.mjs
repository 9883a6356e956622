// The installation under test: a copy of the files that git tracks, in a Compose project of its own.
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanCopy } from '../deploy/installation.mjs';
import { run, until } from '../disturbance/command.mjs';
import { root } from '../launcher/project.mjs';
import { services } from '../launcher/services.mjs';
import { DOMAIN, writeObserver, writeRelease } from './files.mjs';

export const PROJECT = 'gatehouse-compose-test';
const NAMES = services.map(({ name }) => name);
const FETCH = `const [at, how] = process.argv.slice(1);
const answer = await fetch(at, JSON.parse(how));
const text = await answer.text();
if (!answer.ok) throw new Error(at + ' answers ' + answer.status + ' ' + text);
process.stdout.write(text);`;

/** @param {import('./options.mjs').Options} options */
export async function install({ plain, build }) {
  const dir = cleanCopy();
  const files = [
    'docker-compose.yml',
    plain ? 'docker-compose.override.yml' : 'deploy/compose.tls.yml',
    'observer.yml',
  ];
  const named = { COMPOSE_PROJECT_NAME: PROJECT, GATEHOUSE_DOMAIN: DOMAIN, GATEHOUSE_PORT: '127.0.0.1:18080' };
  const env = () => ({ ...process.env, ...named, COMPOSE_FILE: files.join(':') });
  const sh = (/** @type {string} */ command) => run(['sh', '-c', command], '', { cwd: dir, env: env() });
  /** @type {Record<string, number>} */
  let counts = {};
  writeObserver(dir, plain);

  const on = {
    dir,
    names: NAMES,
    plain,
    sh,
    /** With the number of containers that each service has by now. @param {string} [more] */
    up: (more = '') => {
      const scales = Object.entries(counts).map(([name, count]) => `--scale ${name}=${count}`);
      return sh(`docker compose up --detach --wait --no-build ${scales.join(' ')} ${more}`);
    },
    /** @param {Record<string, number>} change */
    scale: (change) => {
      counts = { ...counts, ...change };
      return on.up();
    },
    /** Waits until nothing that runs is unhealthy. */
    healthy: () =>
      until('all containers are healthy', async () => {
        const all = (await sh('docker compose ps --format json')).trim().split('\n');
        return all.map((line) => JSON.parse(line)).every(({ Health }) => Health === '' || Health === 'healthy');
      }),
    /** @param {string} service @returns {Promise<string[]>} */
    containersOf: async (service) => (await sh(`docker compose ps -q ${service}`)).split('\n').filter(Boolean),
    /** Values of .env that an operator replaces. @param {Record<string, string>} values */
    set: (values) => {
      const file = join(dir, '.env');
      const kept = readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line && !Object.keys(values).includes(line.split('=')[0] ?? ''));
      const lines = Object.entries(values).map(([name, value]) => `${name}='${value}'`);
      writeFileSync(file, `${[...kept, ...lines].join('\n')}\n`);
    },
    /** @param {string} name @returns {string} */
    get: (name) => new RegExp(`^${name}='?([^'\\n]*)`, 'm').exec(readFileSync(join(dir, '.env'), 'utf8'))?.[1] ?? '',
    /** By the documented command. @param {string} [more] */
    upgrade: (more = '') =>
      sh(`sh deploy/upgrade.sh --no-build ${files.map((file) => `-f ${file}`).join(' ')} ${more}`),
    /** Compose must find nothing that it would still replace. Its dry run is no help: it fails where files have content. */
    whole: async () => {
      const running = async () => (await sh('docker compose ps -q')).split('\n').sort().join('\n');
      const before = await running();
      await on.up();
      if ((await running()) !== before)
        throw new Error('docker compose up still replaces containers after the upgrade');
    },
    /** Another release: images of another tag. @param {string | null} tag the files' own without one */
    release: (tag) => {
      if (files.at(-1) === 'release.yml') files.pop();
      if (tag === null) return;
      writeRelease(dir, tag);
      files.push('release.yml');
    },
    /** @param {string} path @param {object} [body] @returns {Promise<any>} */
    observer: async (path, body) => JSON.parse(await on.fetch(`http://127.0.0.1:9000${path}`, 'POST', body ?? {})),
    /** From inside, since nothing is published. @param {string} url @param {string} method @param {object} body */
    fetch: (url, method, body) => {
      const headers = { authorization: `Bearer ${on.key}`, 'content-type': 'application/json' };
      const how = JSON.stringify({ method, headers, body: JSON.stringify(body) });
      return run(
        ['docker', 'compose', 'exec', '-T', 'observer', 'node', '--input-type=module', '-e', FETCH, url, how],
        '',
        { cwd: dir, env: env() },
      );
    },
    /** @param {string} method @param {string} path @param {object} body @returns {Promise<any>} */
    api: async (method, path, body) => JSON.parse(await on.fetch(`http://portal:8080/api/v1/${path}`, method, body)),
    key: '',
    webhook: '',
    /** What senders call. @param {string} path */
    at: (path) => `${plain ? 'http://portal:8080' : `https://${DOMAIN}`}${path}`,
    /** Replies of the App's channel come to the observer. @param {string} app */
    replyHere: (app) => on.api('PATCH', `channels/${app}`, { reply_address: 'http://observer:9000/replies' }),
    async begin() {
      await sh('node scripts/make-secrets.mjs > .env && chmod 600 .env');
      appendFileSync(join(dir, '.env'), `GATEHOUSE_EGRESS_ALLOW=observer:9000\nPUBLIC_URL=${on.at('')}\n`);
      if (build) await sh('docker compose build');
      const began = Date.now();
      await on.up();
      const took = Date.now() - began;
      const bootstrap = 'node dist/apps/portal/src/bootstrap/main.js --owner-link --api-key';
      const made = JSON.parse((await sh(`docker compose exec -T portal ${bootstrap}`)).trim().split('\n').at(-1) ?? '');
      on.key = made.api_key;
      on.webhook = on.at(made.webhook_url_path);
      await on.replyHere(String(made.app_id));
      return took;
    },
    /** The images of a next release, which has another migration. */
    async makeNext() {
      const program = readFileSync(join(root, 'scripts/cluster/next.Dockerfile'), 'utf8');
      for (const name of NAMES)
        await run(
          ['docker', 'build', '--quiet', '--build-arg', `IMAGE=gatehouse/${name}`, '-t', `gatehouse/${name}:next`, '-'],
          program,
        );
    },
    async remove() {
      await sh('docker compose down --volumes --remove-orphans --timeout 1');
      rmSync(dir, { recursive: true, force: true });
    },
  };
  return on;
}

/** @typedef {Awaited<ReturnType<typeof install>>} Installation */
