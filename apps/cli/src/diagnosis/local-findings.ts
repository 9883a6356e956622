import { existsSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Installation } from '../api/installation.js';
import { type Finding, ok, trouble } from './finding.js';

const timeoutMs = 3_000;
const leastFreeBytes = 1024 ** 3;
/** These files hold keys, so other users of the machine must not read them. */
const privateFiles = ['secrets.json', 'gatehouse.json'];

/** Checks an `npm start` installation from outside, even when none of it answers. */
export async function localFindings(installation: Installation): Promise<Finding[]> {
  const { dataDir, services } = installation;
  const states = await Promise.all(services.map((service) => serviceFinding(dataDir, service)));
  return [...states, ...privateFiles.map((name) => fileFinding(join(dataDir, name))), diskFinding(dataDir)];
}

async function serviceFinding(
  dataDir: string,
  { name, operations_port: port }: Installation['services'][number],
): Promise<Finding> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`, { signal: AbortSignal.timeout(timeoutMs) });
    if (answer.ok) return ok('services', name, 'Runs and is ready.');
    const { reason } = (await answer.json()) as { reason?: string };
    const toDo = reason?.includes('postgres') ? 'Check that Postgres runs, and its log.' : lastError(dataDir, name);
    return trouble('error', 'services', name, `Runs but is not ready: ${reason ?? answer.status}.`, toDo);
  } catch {
    return trouble(
      'error',
      'services',
      name,
      `Does not answer on port ${port}.`,
      `Start it: npm start. ${lastError(dataDir, name)}`,
    );
  }
}

/** The last line of its log with an error, if it is readable for people. */
function lastError(dataDir: string, name: string): string {
  // Services that share a process share its log.
  const files = [name, 'host'].map((log) => join(dataDir, 'logs', `${log}.log`));
  const file = files.find((one) => existsSync(one));
  if (file === undefined) return `It has no log in ${join(dataDir, 'logs')}.`;
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n').slice(-500);
  const found = lines.findLast((line) => /"level":(50|60)|^\w*Error\b|Settings are wrong/.test(line));
  return found ? `Its log (${file}) says: ${found.slice(0, 400)}` : `Its log: ${file}.`;
}

function fileFinding(file: string): Finding {
  if (!existsSync(file))
    return trouble('error', 'settings', 'npm start', `${file} is missing.`, 'Restore it from a backup.');
  const mode = statSync(file).mode & 0o777;
  if ((mode & 0o077) === 0) return ok('settings', 'npm start', `Only the owner can read ${file}.`);
  const text = `${file} has keys and can be read by others (mode ${mode.toString(8)}).`;
  return trouble('warning', 'settings', 'npm start', text, `chmod 600 ${file}`);
}

function diskFinding(dataDir: string): Finding {
  const { bavail, bsize } = statfsSync(dataDir);
  const free = bavail * bsize;
  const text = `${(free / 1024 ** 3).toFixed(1)} GB are free where ${dataDir} is.`;
  if (free >= leastFreeBytes) return ok('disk', 'npm start', text);
  return trouble(
    'warning',
    'disk',
    'npm start',
    text,
    'Free disk space: when it runs out, Postgres stops and webhooks are answered with 503.',
  );
}
