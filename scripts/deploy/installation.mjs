import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { closeSync, cpSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { root } from '../launcher/project.mjs';

const PATIENCE_MS = 180_000;

/**
 * Copies the files that git tracks into a folder of their own, so that untracked files cannot help the installation to
 * run.
 * @returns {string}
 */
export function cleanCopy() {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-deploy-'));
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  for (const file of files.split('\0').filter(Boolean)) {
    mkdirSync(join(dir, dirname(file)), { recursive: true });
    // The chart has links to folders. Copy them as links, as git does.
    cpSync(join(root, file), join(dir, file), { recursive: true, verbatimSymlinks: true });
  }
  return dir;
}

/**
 * Reads a command from a page of this project, so that the documented command is the one that is tested.
 * @param {string} page @param {string} beginning
 */
export function commandIn(page, beginning) {
  const text = readFileSync(join(root, page), 'utf8');
  const command = text.split(/[`\n]/).find((part) => part.startsWith(beginning));
  if (!command) throw new Error(`${page} has no command that begins with ${beginning}`);
  return command;
}

/**
 * One Compose installation with a project name of its own.
 * @param {string} dir
 * @param {Record<string, string>} settings
 */
export function installation(dir, settings) {
  const env = { ...process.env, COMPOSE_PROJECT_NAME: 'gatehouse-deploy-test', ...settings };
  /** @param {string} command @returns {{status: number | null, out: string}} */
  const sh = (command) => {
    const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
      cwd: dir,
      env,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    });
    return { status, out: status === 0 ? stdout : `${stdout}${stderr}` };
  };
  /** @param {string} command */
  const must = (command) => {
    const { status, out } = sh(command);
    if (status !== 0)
      throw new Error(`${command} ended with ${status}:\n${out.trim().split('\n').slice(-25).join('\n')}`);
    return out;
  };
  /** @param {string} command @returns {string} its output; the command must fail */
  const fails = (command) => {
    const { status, out } = sh(command);
    if (status === 0) throw new Error(`${command} ended with 0`);
    return out;
  };
  /** @returns {{Service: string, Name: string, State: string, Health: string}[]} */
  const containers = () =>
    must('docker compose ps -a --format json')
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  return {
    must,
    fails,
    containers,
    end: () => {
      sh('docker compose down -v --remove-orphans');
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/**
 * @template T
 * @param {string} what
 * @param {() => Promise<T | false | null | undefined> | T | false | null | undefined} look
 * @returns {Promise<T>}
 */
export async function until(what, look) {
  const deadline = Date.now() + PATIENCE_MS;
  for (let last; ; await pause(500)) {
    try {
      const seen = await look();
      if (seen) return seen;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) throw new Error(`timed out waiting until ${what}${last ? ` (${String(last)})` : ''}`);
  }
}

/**
 * Sends messages from a separate process while this one waits for commands.
 * @param {string} dir
 * @param {string} path of the webhook
 * @param {string[]} bases
 */
export function sendMeanwhile(dir, path, bases) {
  const file = join(dir, 'sent-meanwhile');
  const output = openSync(file, 'w');
  const child = spawn(process.execPath, [join(root, 'scripts/deploy/send-until-stopped.mjs'), path, ...bases], {
    stdio: ['ignore', output, 'inherit'],
  });
  closeSync(output);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  return {
    /** The ids of the acknowledged messages. */
    ids: () => readFileSync(file, 'utf8').split('\n').filter(Boolean),
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
