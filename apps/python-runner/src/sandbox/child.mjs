// One sandbox child: `node --permission ... child.mjs <settings as JSON>`. Reads requests from descriptor 4 and answers on
// descriptor 3, one at a time and synchronously: no event loop turns while a tool runs, so nothing outlives its call.
import { constants, readdirSync, readFileSync } from 'node:fs';
import { readFrame, writeFrame } from './child-frames.mjs';
import { removeReach } from './reach.mjs';

/** @type {{nonce: string, pyodide: string, runtime: string, maxFrameBytes: number, maxResultBytes: number, maxStdoutChars: number}} */
const settings = JSON.parse(process.argv[2] ?? '');
const { maxFrameBytes, maxResultBytes, maxStdoutChars } = settings;
let callId = '';

/** @param {string} question @returns {string} */
function ask(question) {
  writeFrame({ id: callId, kind: 'question', question: JSON.parse(question) });
  const { id, answer } = readFrame(maxFrameBytes);
  if (id !== callId) throw new Error('an answer to another call');
  return JSON.stringify(answer);
}

// Emscripten asks for these numbers while it loads; under --permission Node refuses the old way to them.
process.binding = () => ({ fs: constants });
const { loadPyodide } = await import(`file://${settings.pyodide}/pyodide.mjs`);
const python = await loadPyodide({
  indexURL: `${settings.pyodide}/`,
  jsglobals: Object.create(null),
  env: { HOME: '/', _: 'python' },
  stdin: () => null,
  stdout: () => undefined,
  stderr: () => undefined,
});

const library = `${settings.runtime}/gatehouse_sandbox`;
python.FS.mkdirTree('/runtime/gatehouse_sandbox');
for (const file of readdirSync(library).filter((name) => name.endsWith('.py'))) {
  python.FS.writeFile(`/runtime/gatehouse_sandbox/${file}`, readFileSync(`${library}/${file}`));
}
python.runPython("import sys; sys.path.insert(0, '/runtime')");
const entry = python.pyimport('gatehouse_sandbox.serve');
const { serve } = entry;
// What a tool may import is imported once here, so that no call pays for it.
python.runPython(`
import importlib
from gatehouse_sandbox.allowed_imports import ALLOWED
for name in ALLOWED: importlib.import_module(name)
`);
entry.start(ask);
serve(JSON.stringify({ kind: 'compile', source: 'def warm(x: int) -> int:\n    """Warm."""\n    return x\n' }), 99, 99);
removeReach();

writeFrame({ id: settings.nonce, kind: 'ready' });
for (;;) {
  const request = readFrame(maxFrameBytes);
  callId = request.id;
  // Whatever throws here broke the interpreter: the child ends, and another one takes its place.
  const answer = serve(JSON.stringify(request), maxResultBytes, maxStdoutChars);
  writeFrame({ id: callId, kind: 'answer', answer: JSON.parse(answer) });
}
