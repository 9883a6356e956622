import { createRequire } from 'node:module';
import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunnerSettings } from '../settings.js';

const wasmPagesPerMb = 16;
const { resolve } = createRequire(import.meta.url);
const pyodide = dirname(realpathSync(resolve('pyodide/package.json')));
/** A snapshot of Python's memory with every module imported, made by the build. Each child starts from it. */
const memory = realpathSync(resolve('#python-memory'));
const runtime = realpathSync(fileURLToPath(new URL('../sandbox', import.meta.url)));
export const sandboxScript = `${runtime}/child.mjs`;

/** The most that a child may send: a result and output in which JSON escapes every character. */
export const maxAnswerBytes = (settings: RunnerSettings): number =>
  2 * settings.PYTHON_RESULT_BYTES + 6 * settings.PYTHON_STDOUT_CHARS + 2 * settings.PYTHON_ARGUMENT_BYTES;

/** Node's arguments to start one child. */
export function childArguments(settings: RunnerSettings, nonce: string, script: string): string[] {
  const { PYTHON_SOURCE_BYTES, PYTHON_ARGUMENT_BYTES, PYTHON_HTTP_BYTES, PYTHON_EVENT_BYTES } = settings;
  const largest = Math.max(PYTHON_ARGUMENT_BYTES, PYTHON_HTTP_BYTES, PYTHON_EVENT_BYTES);
  const child = {
    nonce,
    pyodide,
    memory,
    maxFrameBytes: 6 * (PYTHON_SOURCE_BYTES + largest) + 65_536,
    maxResultBytes: settings.PYTHON_RESULT_BYTES,
    maxStdoutChars: settings.PYTHON_STDOUT_CHARS,
  };
  return [...bounds(settings, dirname(script)), script, JSON.stringify(child)];
}

/**
 * The process may read only Pyodide's folder, the sandbox's own and the snapshot. It gets no other file, no process,
 * worker, addon or WASI (Node's permissions), and no code generation from strings.
 */
function bounds(settings: RunnerSettings, folder: string): string[] {
  return [
    '--permission',
    `--allow-fs-read=${pyodide}/`,
    `--allow-fs-read=${folder}/`,
    `--allow-fs-read=${memory}`,
    '--disallow-code-generation-from-strings',
    '--disable-warning=SecurityWarning',
    `--wasm-max-mem-pages=${settings.PYTHON_MEMORY_MB * wasmPagesPerMb}`,
    `--max-old-space-size=${settings.PYTHON_HEAP_MB}`,
  ];
}
