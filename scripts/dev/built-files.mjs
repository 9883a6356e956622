import { existsSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { filesBelow } from '../launcher/fingerprint.mjs';
import { root } from '../launcher/project.mjs';
import { PACKAGES } from './module-graph.mjs';

const dist = join(root, 'dist');

/**
 * The current build, by content. Modification times do not help: the compiler also rewrites files whose text is the
 * same.
 * @returns {import('./module-graph.mjs').Built}
 */
export function builtFiles() {
  const files = ['apps', 'libs']
    .flatMap((folder) => filesBelow(join(dist, folder)))
    // Source maps are only read when an error is shown.
    .filter((file) => !file.endsWith('.map'));
  const packages = join(dist, PACKAGES);
  return new Map(
    [...files, ...(existsSync(packages) ? [packages] : [])].map((file) => [
      relative(dist, file).split(sep).join('/'),
      readFileSync(file, 'utf8'),
    ]),
  );
}
