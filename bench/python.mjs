import { SignJWT, importJWK } from 'jose';
import { spawn } from 'node:child_process';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../scripts/launcher/ports.mjs';
import { root } from '../scripts/launcher/project.mjs';
import { median, shown, table } from './table.mjs';

const privateKey = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
const { d: _private, ...publicKey } = privateKey;
const tool = 'def tool(a: int, b: int) -> int:\n    """Adds."""\n    return a + b\n';
const endless = 'def tool():\n    """Never ends."""\n    while True:\n        pass\n';

/** A child that is not there by then will not come. */
const patienceMs = 60_000;

/** @param {string} what @param {() => Promise<boolean>} holds */
async function until(what, holds) {
  for (const end = Date.now() + patienceMs; !(await holds()); await pause(20)) {
    if (Date.now() > end) throw new Error(`Waited ${patienceMs / 1000} s in vain until ${what}`);
  }
}

/** @param {string} organization */
async function tokenFor(organization) {
  const key = await importJWK({ .../** @type {any} */ (privateKey), alg: 'EdDSA' });
  return new SignJWT({ org: organization, prj: 'prj_bench', scopes: ['service'] })
    .setProtectedHeader({ alg: 'EdDSA' })
    .setIssuer('gatehouse:engine')
    .setAudience('gatehouse:python-runner')
    .setSubject('service:engine')
    .setExpirationTime('1h')
    .sign(key);
}

/** A runner as a process of its own, and calls of its tools over HTTP. @param {Record<string, string>} settings */
async function startRunner(settings) {
  const port = await freePort();
  const operationsPort = await freePort();
  const started = performance.now();
  const child = spawn(process.execPath, ['dist/apps/python-runner/src/main.js'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      OPERATIONS_PORT: String(operationsPort),
      ENGINE_URL: 'http://127.0.0.1:9',
      LOG_LEVEL: 'error',
      // A loaded machine may take this long to start a child.
      PYTHON_WAIT_MS: '60000',
      GATEHOUSE_SERVICE_ISSUERS: JSON.stringify({ engine: { keys: [publicKey] } }),
      ...settings,
    },
  });
  const url = `http://127.0.0.1:${port}`;
  const isReady = () =>
    fetch(`${url}/health/ready`).then(
      (answer) => answer.ok,
      () => false,
    );
  await until('the runner is ready', async () => {
    if (child.exitCode !== null) throw new Error('the python-runner ended');
    return isReady();
  });
  const readyMs = performance.now() - started;
  /** @type {Map<string, string>} */
  const tokens = new Map();
  /** @param {string} organization @param {string} source @param {object} args @param {number} [timeoutMs] */
  async function run(organization, source, args, timeoutMs = 10_000) {
    const token = tokens.get(organization) ?? (await tokenFor(organization));
    tokens.set(organization, token);
    const answer = await fetch(`${url}/internal/run`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        call_id: 'call_bench',
        organization_id: organization,
        source,
        source_sha256: createHash('sha256').update(source).digest('hex'),
        function: 'tool',
        arguments: args,
        timeout_ms: timeoutMs,
      }),
    });
    if (!answer.ok) throw new Error(`the runner answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  }
  async function warm() {
    const text = await (await fetch(`http://127.0.0.1:${operationsPort}/metrics`)).text();
    return Number(/^gatehouse_python_children\{.*\} (\d+)$/m.exec(text)?.[1]);
  }
  return { run, warm, readyMs, pid: child.pid ?? 0, stop: () => child.kill('SIGTERM') };
}

/** Resident MB of a process's children (Linux). @param {number} parent */
function childrenMb(parent) {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      if (Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]) !== parent) return [];
      return [Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024];
    } catch (error) {
      // It exited between the two reads.
      if (error instanceof Error && 'code' in error && ['ENOENT', 'ESRCH'].includes(String(error.code))) return [];
      throw error;
    }
  });
}

/** @param {number[]} sorted @param {number} share */
const quantile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

/** @param {() => Promise<unknown>} work */
async function timed(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/**
 * Calls of Python tools over HTTP, and the time to replace a child that was killed.
 * @param {{calls: number, seconds: number, kills: number}} options
 */
export async function benchPython({ calls, seconds, kills }) {
  const runner = await startRunner({ PYTHON_CHILDREN: '3', PYTHON_CALLS_PER_CHILD: '100000' });
  try {
    const args = { a: 1, b: 2 };
    const first = await timed(() => runner.run('org_a', tool, args));
    const latencies = [];
    for (let made = 0; made < calls; made += 1) latencies.push(await timed(() => runner.run('org_a', tool, args)));
    latencies.sort((one, other) => one - other);
    let done = 0;
    const until = performance.now() + seconds * 1000;
    const keepCalling = async () => {
      for (; performance.now() < until; done += 1) await runner.run('org_a', tool, args);
    };
    await Promise.all([keepCalling(), keepCalling(), keepCalling(), keepCalling()]);
    const memory = childrenMb(runner.pid);
    // More tools than children, so each call ends a child and starts another.
    const turns = [];
    for (let made = 0; made < 20; made += 1) {
      turns.push(await timed(() => runner.run('org_a', `${tool}# ${made % 4}\n`, args)));
    }
    return table(
      ['measure', 'value'],
      [
        ['start until ready (first child warm)', `${shown(runner.readyMs, 0)} ms`],
        ['first call of an organization (warm child)', `${shown(first)} ms`],
        ['warm call p50', `${shown(quantile(latencies, 0.5), 2)} ms`],
        ['warm call p99', `${shown(quantile(latencies, 0.99), 2)} ms`],
        ['calls/s of one organization, 4 at a time, 2 children', shown(done / seconds, 0)],
        ['call of four tools in turn, 3 children, p50', `${shown(median(turns))} ms`],
        ['call after a time-out, spare child', `${shown(await afterTimeout(2, kills))} ms`],
        ['call after a time-out, no spare child', `${shown(await afterTimeout(1, kills))} ms`],
        ['memory of a warm child', `${shown(median(memory), 0)} MB`],
      ],
    );
  } finally {
    runner.stop();
  }
}

/** Milliseconds of the first call after a child was killed. @param {number} children @param {number} kills */
async function afterTimeout(children, kills) {
  const runner = await startRunner({ PYTHON_CHILDREN: String(children), PYTHON_CHILDREN_PER_ORGANIZATION: '1' });
  try {
    const waits = [];
    for (let kill = 0; kill < kills; kill += 1) {
      await runner.run('org_a', tool, { a: 1, b: 2 });
      await until('its children are warm', async () => (await runner.warm()) >= children);
      await runner.run('org_a', endless, {}, 100);
      waits.push(await timed(() => runner.run('org_a', tool, { a: 1, b: 2 })));
    }
    return median(waits);
  } finally {
    runner.stop();
  }
}
