import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { say } from './say.mjs';

/** @param {string} command @param {string[]} args @param {string} [cwd] */
function run(command, args, cwd) {
  const result = spawnSync(command, args, {
    encoding: 'utf8',
    cwd,
    env: { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (result.status === 0) return result.stdout;
  throw new Error(
    `${command} ${args.at(-1)}: ${(result.stderr || result.error?.message || '').trim().split('\n').at(-1)}`,
  );
}

/**
 * A list of sources with another suite of Debian, from the mirror that this system uses.
 * @param {string} file @param {string} suite @returns {string[]} settings of apt
 */
function sourcesOf(file, suite) {
  const targets = run('apt-get', [
    'indextargets',
    '--format',
    '$(RELEASE) $(REPO_URI) $(ORIGIN)',
    'Created-By: Packages',
  ]);
  const own = /^VERSION_CODENAME=(\w+)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1];
  const mirror = targets
    .split('\n')
    .map((line) => line.split(' '))
    .find(([release, , origin]) => release === own && origin === 'Debian');
  if (!mirror) throw new Error(`no source of Debian ${own ?? 'itself'} is configured`);
  writeFileSync(file, `deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${mirror[1]} ${suite} main\n`);
  return [`Dir::Etc::SourceList=${file}`, 'Dir::Etc::SourceParts=-'];
}

/**
 * Downloads packages of the distribution and unpacks them. apt checks their signatures, but uses lists and archives of
 * our own: this needs no root, installs nothing and starts no service.
 * @param {string} home recreated
 * @param {string[]} packages
 * @param {string | string[]} programs the packages whose libraries are included, since a slim system may lack them
 * @param {string} [suite] another one than the system's own, whose C library is then included: run its programs with
 *   its loader
 * @returns {string | null} why it did not work
 */
export function unpackDebian(home, packages, programs, suite) {
  const probe = spawnSync('apt-get', ['--version']);
  if (probe.status !== 0 || !existsSync('/var/lib/dpkg/status')) return 'not a Debian or Ubuntu system';
  say(`Fetching ${packages[0]} from the distribution into .cache/${basename(home)} (nothing is installed) …`);
  const scratch = `${home}.download-${process.pid}`;
  try {
    for (const dir of ['lists/partial', 'cache/archives/partial', 'debs', 'root'])
      mkdirSync(join(scratch, dir), { recursive: true });
    const settings = [
      `Dir::State::Lists=${join(scratch, 'lists')}`,
      `Dir::Cache=${join(scratch, 'cache')}`,
      'Dir::State::status=/var/lib/dpkg/status',
      'Debug::NoLocking=true',
      'Acquire::Languages=none',
      // As root, apt would switch to a user of its own, which cannot write here.
      `APT::Sandbox::User=${process.getuid?.() === 0 ? 'root' : ''}`,
      ...(suite ? sourcesOf(join(scratch, 'sources.list'), suite) : []),
    ].flatMap((setting) => ['-o', setting]);
    run('apt-get', [...settings, '-qq', 'update']);
    const libraries = run('apt-cache', [
      ...settings,
      'depends',
      '--no-recommends',
      '--no-suggests',
      ...[programs].flat(),
    ])
      .split('\n')
      .flatMap((line) => /^ {2}Depends: ((?:lib|lua)\S+)$/.exec(line)?.[1] ?? [])
      // The C library has to fit the loader: the system's own, unless the suite is another.
      .filter((name) => name !== 'libc6' || suite !== undefined);
    run('apt-get', [...settings, '-qq', 'download', ...new Set([...packages, ...libraries])], join(scratch, 'debs'));
    for (const name of readdirSync(join(scratch, 'debs')))
      run('dpkg-deb', ['-x', join(scratch, 'debs', name), join(scratch, 'root')]);
    rmSync(home, { recursive: true, force: true });
    renameSync(join(scratch, 'root'), home);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** @param {string} home @returns {NodeJS.ProcessEnv} with which the unpacked programs find their libraries */
export function librariesOf(home) {
  const libs = ['usr/lib', 'lib'].flatMap((lib) => {
    const dir = join(home, lib);
    return existsSync(dir)
      ? [
          dir,
          ...readdirSync(dir)
            .filter((name) => name.endsWith('-gnu') || name.includes('-linux-'))
            .map((name) => join(dir, name)),
        ]
      : [];
  });
  return { LD_LIBRARY_PATH: libs.join(':') };
}
