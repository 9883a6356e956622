// node child.mjs LIMITS: reads a PDF or Office file on stdin, and writes {text} or {refused} as JSON to stdout. Whatever
// a file makes it do, it ends with its process: the parent bounds time and memory, Node's permissions the rest.
import { buffer } from 'node:stream/consumers';
import { officeText } from './office.mjs';
import { pdfText } from './pdf.mjs';
import { Refused } from './refused.mjs';

/** @type {import('./refused.mjs').Limits} */
const limits = JSON.parse(process.argv[2] ?? '{}');

/** @returns {Promise<{text: string} | {refused: string}>} */
async function answer() {
  const bytes = new Uint8Array(await buffer(process.stdin));
  try {
    const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b;
    return { text: isZip ? officeText(bytes, limits) : await pdfText(bytes, limits) };
  } catch (error) {
    return { refused: error instanceof Refused ? error.message : 'unreadable' };
  }
}

process.stdout.write(JSON.stringify(await answer()));
