import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from './project.mjs';

/** @param {string} dir @returns {string[]} absolute paths of the files below */
export function filesBelow(dir) {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (entry.name === 'node_modules') return [];
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

/** A hash that changes when one of the files is written. @param {string[]} paths */
export function fingerprint(paths) {
  const hash = createHash('sha256');
  for (const path of [...paths].sort()) {
    const { size, mtimeMs } = statSync(path);
    hash.update(`${relative(root, path)}\0${size}\0${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

/** A hash over the names and the content of the files. @param {string[]} paths */
export function contentDigest(paths) {
  const hash = createHash('sha256');
  for (const path of [...paths].sort()) {
    const content = readFileSync(path);
    hash.update(`${relative(root, path)}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}
