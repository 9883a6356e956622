import { spawnSync } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { librariesOf, unpackDebian } from '../../scripts/launcher/debian-packages.mjs';
import { cacheDir } from '../../scripts/launcher/project.mjs';

const home = join(cacheDir, 'engine-programs');
const python = '/usr/bin/python3';
const packages = [
  'patroni',
  'etcd-server',
  'haproxy',
  'pgbouncer',
  // Of a library of HAProxy's.
  'libopentracing1',
  ...['cdiff', 'click', 'dateutil', 'dnspython', 'etcd', 'pkg-resources', 'prettytable', 'psutil', 'psycopg2'].map(
    named,
  ),
  ...['six', 'urllib3', 'wcwidth', 'yaml'].map(named),
];

/** @param {string} name */
function named(name) {
  return `python3-${name}`;
}

/** The version of Python that the distribution's packages are made for is the distribution's. */
const hasPython = () => spawnSync(python, ['--version']).status === 0;

/**
 * Patroni, etcd, HAProxy and PgBouncer from the distribution's packages, which are not installed.
 * @param {string} dir gets a copy, since Postgres' user may not be able to read the cache
 */
export function enginePrograms(dir) {
  if (!hasPython()) return { missing: `${python} does not run` };
  if (!existsSync(join(home, 'usr/sbin/pgbouncer'))) {
    const reason = unpackDebian(home, packages, ['haproxy', 'pgbouncer', named('psycopg2'), named('yaml')]);
    if (reason !== null) return { missing: reason };
  }
  const copy = join(dir, 'programs');
  cpSync(home, copy, { recursive: true, verbatimSymlinks: true });
  const env = { ...librariesOf(copy), PYTHONPATH: join(copy, 'usr/lib/python3/dist-packages') };
  return {
    env,
    etcd: join(copy, 'usr/bin/etcd'),
    haproxy: join(copy, 'usr/sbin/haproxy'),
    pgbouncer: join(copy, 'usr/sbin/pgbouncer'),
    patroni: { command: python, args: ['-m', 'patroni'] },
  };
}
