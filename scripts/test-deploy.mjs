// Starts the system on a real Docker engine with the README's commands, and tests what only an engine can show:
// readiness, scaling, killed containers, a backup restored from nothing, and the shutdown of a container's first
// process.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanCopy, commandIn, installation, sendMeanwhile, until } from './deploy/installation.mjs';
import { tryRestore } from './deploy/try-restore.mjs';
import { dockerAnswers } from './launcher/compose.mjs';

if (!dockerAnswers()) {
  console.log('No Docker engine answers: the deployment is not tested.');
  process.exit(0);
}

const SCALED = [
  'webhook-ingress',
  'adapter-gateway',
  'router',
  'engine',
  'credential-vault',
  'mcp-registry',
  'python-runner',
  'adapters',
  'portal',
];
const stores = ['redis', 'postgres'];
const KILLED = ['webhook-ingress', 'adapter-gateway', 'router', 'engine', ...stores];
const KILL_NODE =
  'for p in /proc/[0-9]*; do case "$(readlink $p/exe)" in */node) kill -9 ${p#/proc/} ;; esac; done; true';
// One address for each replica of the portal.
const PORTS = '127.0.0.1:18080-18089';

const started = Date.now();
/** @param {string} text */
const say = (text) => console.log(`${((Date.now() - started) / 1000).toFixed(0).padStart(5)} s  ${text}`);
/** @param {string[]} args */
const docker = (...args) => spawnSync('docker', args, { encoding: 'utf8' });
const engine = docker('version', '--format', '{{.Server.Version}}').stdout.trim();
say(`Docker Engine ${engine}, Compose ${docker('compose', 'version', '--short').stdout.trim()}`);

const copy = cleanCopy();
const system = installation(copy, { GATEHOUSE_PORT: PORTS });
try {
  system.must(commandIn('README.md', 'node scripts/make-secrets.mjs > .env'));
  writeFileSync(join(copy, 'settings.env'), 'TRACES_PERCENT=7\n');
  system.must(commandIn('README.md', 'docker compose up'));
  const given = system.must('docker compose exec -T router printenv TRACES_PERCENT').trim();
  if (given !== '7') throw new Error(`settings.env says 7, and the router has ${given}`);
  say('docker compose up --build --wait succeeded, with the values of settings.env');

  const made = JSON.parse(
    system.must(commandIn('docs/operations.md', 'docker compose exec portal')).trim().split('\n').at(-1) ?? '',
  );
  const bases = () =>
    [...system.must('docker compose ps portal --format "{{.Ports}}"').matchAll(/:(18\d+)->/g)].map(
      ([, port]) => `http://127.0.0.1:${port}`,
    );
  /** @type {string | undefined} */
  let front;
  const base = () => (front ??= bases()[0] ?? '');
  /** @param {string} path @param {object} [body] */
  const api = async (path, body) => {
    const headers = { authorization: `Bearer ${made.api_key}`, ...(body && { 'content-type': 'application/json' }) };
    const sent = body ? { method: 'POST', body: JSON.stringify(body) } : {};
    const answer = await fetch(`${base()}/api/v1/${path}`, { headers, ...sent });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  /** Retries until it is acknowledged, as a provider does. @param {string} at @param {string} task */
  const send = (at, task) =>
    until(`${task} is acknowledged`, async () => {
      const answer = await fetch(`${at}${made.webhook_url_path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': task },
        body: JSON.stringify({ task }),
        signal: AbortSignal.timeout(10_000),
      });
      return answer.ok && /** @type {{id: string}} */ (await answer.json()).id;
    });
  /** @param {string} id */
  const answered = (id) =>
    until(`${id} has its turn`, async () => {
      const { timeline } = await api(`events/${id}`);
      return timeline.some(
        (/** @type {{stage: string, outcome: string}} */ entry) =>
          entry.stage === 'turn' && entry.outcome === 'succeeded',
      );
    });

  const signedIn = await fetch(`${base()}/api/v1/sign-in/link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ token: new URL(made.owner_link).hash.replace('#token=', '') }),
  });
  if (signedIn.status !== 200) throw new Error(`the owner's link answers ${signedIn.status}`);
  await answered(await send(base(), 'hello'));
  say("the owner's link signs in, and a message gets its turn");

  system.must(`docker compose up -d --wait --no-build ${SCALED.map((name) => `--scale ${name}=2`).join(' ')}`);
  const doubled = SCALED.filter(
    (name) =>
      system.containers().filter(({ Service, Health }) => Service === name && Health === 'healthy').length !== 2,
  );
  if (doubled.length > 0) throw new Error(`not twice: ${doubled.join(', ')}`);
  if (bases().length !== 2) throw new Error(`two portals are published at ${bases().join(', ')}`);
  for (const [index, at] of bases().entries()) await answered(await send(at, `by portal ${index}`));
  say(`two replicas of ${SCALED.length} services; a message through either portal`);

  const { ids, stop } = sendMeanwhile(copy, made.webhook_url_path, bases());
  for (const name of KILLED) {
    const killed = system.containers().find(({ Service }) => Service === name)?.Name ?? '';
    const startedAt = () => docker('inspect', '--format', '{{.State.StartedAt}}', killed).stdout;
    const before = startedAt();
    // Kills the program, not the container: Docker does not restart a container that it was asked to stop.
    if (stores.includes(name)) docker('restart', '-t', '0', killed);
    else docker('exec', killed, 'bash', '-c', KILL_NODE);
    await until(`${name} was started again`, () => startedAt() !== before);
    await until(`${name} is healthy again`, () =>
      system.containers().every(({ Service, Health }) => Service !== name || Health === 'healthy'),
    );
    say(`${name} was killed and is healthy again`);
  }
  await stop();
  const acknowledged = ids();
  for (const id of acknowledged) await answered(id);
  if (new Set(acknowledged).size !== acknowledged.length) throw new Error('two messages became one event');
  if (acknowledged.length < 20) throw new Error(`only ${acknowledged.length} messages were sent meanwhile`);
  say(`${acknowledged.length} messages sent meanwhile: each was acknowledged and got its turn`);

  const anew = () => void (front = undefined);
  await tryRestore({ system, base, anew, api, send: (task) => send(base(), task), answered, say });

  const unreachable = {
    DATABASE_URL: 'postgres://a:b@192.0.2.1/c',
    REDIS_URL: 'redis://192.0.2.1',
    ...Object.fromEntries(['PUBLIC_URL', 'INGRESS_URL', 'GATEWAY_URL', 'ENGINE_URL'].map((name) => [name, 'http://a'])),
  };
  const nowhere = Object.entries(unreachable).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
  const key = system.must('sed -n "s/^GATEHOUSE_SERVICE_KEY_ROUTER=//p" .env').trim().slice(1, -1);
  const booting = docker(
    'run',
    '-d',
    ...nowhere,
    '-e',
    `GATEHOUSE_SERVICE_KEY=${key}`,
    'gatehouse/router',
  ).stdout.trim();
  // Waits for the first line. Before it, the process is the shell or a Node without signal handlers, and the first
  // process of a container ignores signals that it does not handle.
  await until('it boots', () => docker('logs', booting).stdout.includes('Starting Nest application'));
  const stopAt = Date.now();
  docker('stop', '-t', '30', booting);
  const tookMs = Date.now() - stopAt;
  const code = docker('inspect', '--format', '{{.State.ExitCode}}', booting).stdout.trim();
  docker('rm', '-f', booting);
  if (code !== '143') throw new Error(`a booting process exited with ${code} after ${tookMs} ms`);
  say(`a booting process, the first of its container, exited ${tookMs} ms after SIGTERM`);
} finally {
  system.end();
}
say('all checks passed');
