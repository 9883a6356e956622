// The licences of everything that is installed to run, from the lock file: fails for one that nobody has accepted.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './launcher/project.mjs';

/** Licences that ask for no more than their text and notices in what is passed on. MPL-2.0 does so of its own files alone. */
const accepted = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'MPL-2.0',
  'Python-2.0',
  '(AFL-2.1 OR BSD-3-Clause)',
];

/** @type {{packages: Record<string, {dev?: boolean, license?: string, hasInstallScript?: boolean}>}} */
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
/** @type {Map<string, string[]>} */
const byLicence = new Map();
for (const [path, { dev, license = 'none' }] of Object.entries(packages)) {
  if (path === '' || dev) continue;
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  byLicence.set(license, [...(byLicence.get(license) ?? []), name]);
}
for (const [licence, names] of [...byLicence].sort(([one], [other]) => one.localeCompare(other))) {
  const known = accepted.includes(licence);
  process.stdout.write(`licences  ${licence}: ${names.length}${known ? '' : ` (not accepted: ${names.join(', ')})`}\n`);
}
if ([...byLicence.keys()].some((licence) => !accepted.includes(licence))) {
  process.stderr.write('licences  Accept the new licence in scripts/licences.mjs, or leave the package out.\n');
  process.exit(1);
}
