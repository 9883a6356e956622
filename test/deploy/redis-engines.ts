import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { unpackDebian } from '../../scripts/launcher/debian-packages.mjs';
import { cacheDir } from '../../scripts/launcher/project.mjs';
import { findRedis } from '../../scripts/launcher/redis-binaries.mjs';

/** A server's program, with what goes before its arguments. */
export interface RedisEngine {
  /** As it names itself: `Redis 8.0.2`. */
  name: string;
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
}

/** Each kind of server that the documentation names. */
const NAMED = ['Redis 7', 'Redis 8', 'Valkey 8'];

/** Has Redis 8 and Valkey 8. Its programs run on an older Debian with its own loader and C library. */
const SUITE = 'trixie';

/**
 * The servers that run here: the one on the PATH or of this system's distribution, and those of a newer Debian, which
 * are unpacked into the cache.
 * @returns also those named ones that could not be had, and why
 */
export function redisEngines(): { engines: RedisEngine[]; missing: string[] } {
  const own = findRedis();
  const reasons = 'reasons' in own ? [...own.reasons] : [];
  const found = 'reasons' in own ? [] : [named({ ...own, args: [] })];
  const newer = unpackedServers();
  if (typeof newer === 'string') reasons.push(newer);
  else found.push(...newer.map(named));
  const engines = found.filter((engine) => engine !== null);
  const missing = NAMED.filter((kind) => !engines.some(({ name }) => name.startsWith(kind)));
  return { engines, missing: missing.map((kind) => `${kind}: ${reasons.join('; ') || 'not in these packages'}`) };
}

function named(engine: Omit<RedisEngine, 'name'>): RedisEngine | null {
  const { command, args, env } = engine;
  const { stdout } = spawnSync(command, [...args, '--version'], { encoding: 'utf8', env: { ...process.env, ...env } });
  const [, kind, version] = /^(Redis|Valkey) server v=(\S+)/.exec(stdout ?? '') ?? [];
  return kind && version ? { name: `${kind} ${version}`, ...engine } : null;
}

/** @returns or why there are none */
function unpackedServers(): Omit<RedisEngine, 'name'>[] | string {
  const home = join(cacheDir, `stores-${SUITE}`);
  const servers = ['redis', 'valkey'];
  if (!existsSync(join(home, 'usr', 'bin'))) {
    const packages = servers.flatMap((name) => [`${name}-server`, `${name}-tools`]);
    // Of their libraries' libraries, what a slim system may have too old.
    const more = ['libcap2', 'libgcc-s1', 'libzstd1', 'zlib1g'];
    const tools = servers.map((name) => `${name}-tools`);
    const reason = unpackDebian(home, [...packages, ...more], tools, SUITE);
    if (reason !== null) return `fetching them with apt: ${reason}`;
  }
  const libraries = join(home, 'usr', 'lib');
  const machine = readdirSync(libraries).find((name) => name.endsWith('-gnu'));
  if (!machine) return `${home} has no libraries`;
  const folder = join(libraries, machine);
  const loader = readdirSync(folder).find((name) => name.startsWith('ld-linux'));
  if (!loader) return `${home} has no loader`;
  return servers.map((name) => ({
    command: join(folder, loader),
    args: ['--library-path', folder, join(home, 'usr', 'bin', `${name}-server`)],
    env: {},
  }));
}
