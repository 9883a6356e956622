// One sandbox child: `node --permission ... child.mjs <settings as JSON>`. It loads its memory snapshot, then reads
// requests from descriptor 4 and answers on descriptor 3, one at a time and synchronously: no event loop runs during a
// tool, so nothing outlives its call.
import { readFileSync } from 'node:fs';
import { readFrame, writeFrame } from './child-frames.mjs';
import { startPython } from './pyodide.mjs';
import { removeReach } from './reach.mjs';

/** @type {{nonce: string, pyodide: string, memory: string, maxFrameBytes: number, maxResultBytes: number, maxStdoutChars: number}} */
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

const python = await startPython(settings.pyodide, { _loadSnapshot: readFileSync(settings.memory) });
const entry = python.pyimport('gatehouse_sandbox.serve');
const { serve } = entry;
entry.start(ask);
removeReach();

writeFrame({ id: settings.nonce, kind: 'ready' });
for (;;) {
  const request = readFrame(maxFrameBytes);
  callId = request.id;
  // An exception here means that the interpreter is broken: the child exits and is replaced.
  const answer = serve(JSON.stringify(request), maxResultBytes, maxStdoutChars);
  writeFrame({ id: callId, kind: 'answer', answer: JSON.parse(answer) });
}
