import { constants } from 'node:fs';

/**
 * Starts Python with no way to JavaScript's globals, input or output.
 * @param {string} folder Pyodide's
 * @param {{_makeSnapshot?: boolean, _loadSnapshot?: Uint8Array}} memory whether it is to be pictured, or a picture to start from
 * @returns {Promise<any>} Pyodide's API, which has no types for snapshots
 */
export async function startPython(folder, memory) {
  // Emscripten asks for these numbers while it loads; under --permission Node refuses the old way to them.
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
