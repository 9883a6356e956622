import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow, fingerprint } from './fingerprint.mjs';
import { root } from './project.mjs';
import { say } from './say.mjs';

const sandbox = join(root, 'apps/python-runner/src/sandbox');
const pyodide = join(root, 'node_modules/pyodide');
const memory = join(root, 'dist/python-memory');
const stamp = join(root, 'dist/.build-stamp-python');

/**
 * Makes the memory snapshot that the python-runner's children start from. Does nothing when it is up to date.
 * @returns {boolean} whether it was made
 */
export function ensurePythonMemory() {
  const state = fingerprint([...filesBelow(sandbox), join(pyodide, 'package.json')]);
  if (existsSync(memory) && existsSync(stamp) && readFileSync(stamp, 'utf8') === state) return false;
  say('Making Python’s memory snapshot …');
  mkdirSync(join(root, 'dist'), { recursive: true });
  rmSync(stamp, { force: true });
  // In a separate process: Python only ever runs in processes that end.
  const file = `${memory}.${process.pid}`;
  const settings = JSON.stringify({ pyodide, file });
  const maker = spawnSync(process.execPath, [join(sandbox, 'make-memory.mjs'), settings], { stdio: 'inherit' });
  if (maker.status !== 0) throw new Error('Python’s memory snapshot could not be made (see above).');
  renameSync(file, memory);
  writeFileSync(stamp, state);
  return true;
}
