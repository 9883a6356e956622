import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

/** The headless shell needs a sixth less processor time. */
const installed = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
const installMs = 300_000;

/** A Chromium to test in: the system's, else one that is installed now; null if neither works. */
export function findChromium(): string | null {
  return present() ?? (byApt() ? present() : null) ?? byPlaywright();
}

const present = (): string | null => installed.find((path) => existsSync(path)) ?? null;

/** One at a time, whichever spec comes first: apt refuses a second run. */
function byApt(): boolean {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false;
  const get = 'apt-get -qq install -y --no-install-recommends fonts-dejavu-core';
  const install = `apt-get -qq update && { ${get} chromium-headless-shell || ${get} chromium; } </dev/null`;
  const lock = join(tmpdir(), 'gatehouse-chromium.lock');
  return spawnSync('flock', [lock, 'sh', '-c', install], { stdio: 'ignore', timeout: 2 * installMs }).status === 0;
}

function byPlaywright(): string | null {
  const cli = new URL(import.meta.resolve('playwright-core/cli.js')).pathname;
  spawnSync(process.execPath, [cli, 'install', 'chromium-headless-shell'], { stdio: 'ignore', timeout: installMs });
  const path = chromium.executablePath();
  return existsSync(path) ? path : null;
}
