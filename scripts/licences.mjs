// The licences of all installed runtime packages, from the lock file. It fails for one that is not accepted.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './launcher/project.mjs';

/** Licences that require no more than passing on their text and notices. MPL-2.0 covers only its own files. */
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
  '(MIT OR EUPL-1.1+)',
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
