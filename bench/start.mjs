import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { stopChild, exitOf } from '../scripts/launcher/child.mjs';
import { cacheDir, root } from '../scripts/launcher/project.mjs';
import { usesOf } from './process-tree.mjs';
import { median, shown, table } from './table.mjs';

/** By then, compiling and caching at start are over and the python-runner is ready. */
const settleMs = 20_000;
const readyMs = 300_000;

/**
 * What a warm `npm start` costs until everything runs, and what remains when idle: for this tree, for this tree with
 * its services in one process, and for another built and installed tree, alternating. It counts CPU as well as time,
 * since time depends on other load on the machine.
 * @param {{rounds: number, idleSeconds: number, beside?: string}} options beside: another tree's folder
 */
export async function benchStart({ rounds, idleSeconds, beside }) {
  const contestants = [
    { name: 'this tree', dir: root, args: [] },
    { name: 'this tree, --small', dir: root, args: ['--small'] },
    ...(beside ? [{ name: 'beside', dir: resolve(beside), args: [] }] : []),
  ];
  /** @type {Map<string, Measured[]>} */
  const measured = new Map(contestants.map(({ name }) => [name, []]));
  // The first start of each creates its data and caches.
  for (let round = 0; round <= rounds; round += 1) {
    for (const { name, dir, args } of contestants) {
      const dataDir = join(cacheDir, 'bench', `start-${name.replace(/\W+/g, '-')}`);
      if (round === 0) await rm(dataDir, { recursive: true, force: true });
      const one = await measure(
        [join(dir, 'scripts/start.mjs'), '--data-dir', dataDir, ...args],
        dir,
        dataDir,
        round === 0 ? 0 : idleSeconds,
      );
      if (round > 0) measured.get(name)?.push(one);
    }
  }
  return [...measured].map(([name, all]) => `${name}\n\n${tableOf(all)}`).join('\n\n');
}

/** @typedef {{cpuMs: number, pssMb: number, idleMs: number}} Use */
/** @typedef {{seconds: number, uses: Record<string, Use>}} Measured idleMs: CPU in a second without work */

/** @param {string[]} command @param {string} dir @param {string} dataDir @param {number} idleSeconds @returns {Promise<Measured>} */
async function measure(command, dir, dataDir, idleSeconds) {
  const started = performance.now();
  const child = spawn(process.execPath, command, {
    cwd: dir,
    // Otherwise a sandbox that was warmed for Python tools would count for another two minutes.
    env: { ...process.env, PYTHON_IDLE_MS: '5000' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = exitOf(child);
  const pid = child.pid ?? 0;
  try {
    await Promise.race([
      printed(child.stdout, /Everything runs/),
      exited.then((how) => Promise.reject(new Error(`${command.join(' ')} ended: ${how}`))),
      pause(readyMs, undefined, { ref: false }).then(() => Promise.reject(new Error(`${dir} is not ready in time`))),
    ]);
    const seconds = (performance.now() - started) / 1_000;
    const ready = usesBelow(pid, dataDir);
    await pause(idleSeconds > 0 ? settleMs : 0);
    const before = usesBelow(pid, dataDir);
    await pause(idleSeconds * 1_000);
    const after = usesBelow(pid, dataDir);
    const uses = Object.entries(after).map(([name, { cpuMs, pssMb }]) => {
      const idleMs = (cpuMs - (before[name]?.cpuMs ?? 0)) / Math.max(1, idleSeconds);
      return [name, { cpuMs: ready[name]?.cpuMs ?? 0, pssMb, idleMs }];
    });
    return { seconds, uses: Object.fromEntries(uses) };
  } finally {
    await stopChild(pid, exited, [{ signal: 'SIGTERM', waitMs: 60_000 }]);
  }
}

/** @param {import('node:stream').Readable} stream @param {RegExp} what @returns {Promise<void>} */
function printed(stream, what) {
  let text = '';
  return new Promise((done) => stream.on('data', (part) => what.test((text += part)) && done()));
}

/**
 * CPU so far and current memory (Linux). Each process counts towards its nearest ancestor that the installation knows.
 * @param {number} launcher
 * @param {string} dataDir
 */
function usesBelow(launcher, dataDir) {
  const { services, postgres, redis } = JSON.parse(readFileSync(join(dataDir, 'gatehouse.json'), 'utf8'));
  /** @type {Map<number, string>} */
  const names = new Map([[launcher, 'npm start']]);
  // Services that share a process are one row.
  for (const { name, pid } of services) names.set(pid, names.has(pid) ? 'host' : name);
  names.set(postgres.pid, 'postgres').set(redis.pid, 'redis');
  return usesOf(names);
}

/** @param {Measured[]} all */
function tableOf(all) {
  const names = Object.keys(all[0]?.uses ?? {}).sort();
  const of = (/** @type {string} */ name, /** @type {keyof Use} */ what) =>
    median(all.map(({ uses }) => uses[name]?.[what] ?? 0));
  const sum = (/** @type {keyof Use} */ what) =>
    median(all.map(({ uses }) => Object.values(uses).reduce((total, use) => total + use[what], 0)));
  const rows = names.map((name) => [name, ...cells(of(name, 'cpuMs'), of(name, 'pssMb'), of(name, 'idleMs'))]);
  const seconds = shown(median(all.map((one) => one.seconds)));
  return table(
    ['process', 'CPU until all run, s', 'PSS when idle, MB', 'idle CPU, ms/s'],
    [...rows, [`all, after ${seconds} s`, ...cells(sum('cpuMs'), sum('pssMb'), sum('idleMs'))]],
  );
}

/** @param {number} cpuMs @param {number} pssMb @param {number} idleMs */
const cells = (cpuMs, pssMb, idleMs) => [shown(cpuMs / 1_000, 2), shown(pssMb, 0), shown(idleMs)];
