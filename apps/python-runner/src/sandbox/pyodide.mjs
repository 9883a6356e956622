import { constants } from 'node:fs';

/**
 * Starts Python without access to JavaScript's globals, input or output.
 * @param {string} folder Pyodide's
 * @param {{_makeSnapshot?: boolean, _loadSnapshot?: Uint8Array}} memory whether to make a snapshot, or one to start
 *   from
 * @returns {Promise<any>} Pyodide's API, which has no types for snapshots
 */
export async function startPython(folder, memory) {
  // Emscripten needs these constants while it loads. Under --permission Node refuses the old way to read them.
  process.binding = () => ({ fs: constants });
  const { loadPyodide } = await import(`file://${folder}/pyodide.mjs`);
  return loadPyodide({
    indexURL: `${folder}/`,
    jsglobals: Object.create(null),
    env: { HOME: '/', _: 'python' },
    stdin: () => null,
    stdout: () => undefined,
    stderr: () => undefined,
    ...memory,
  });
}
