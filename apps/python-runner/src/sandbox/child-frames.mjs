import { readSync, writeSync } from 'node:fs';
import process from 'node:process';

const IN = 4;
const OUT = 3;

/** Blocks until that many bytes are read. @param {number} length */
function readExactly(length) {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length;) {
    const read = readSync(IN, bytes, at, length - at, null);
    // The runner is gone.
    if (read === 0) process.exit(0);
    at += read;
  }
  return bytes;
}

/**
 * Blocks until the next frame is read: four bytes of length (big-endian), then JSON.
 * @param {number} maxBytes
 * @returns {any}
 */
export function readFrame(maxBytes) {
  const length = readExactly(4).readUInt32BE();
  if (length > maxBytes) throw new Error(`a frame of ${length} bytes`);
  return JSON.parse(readExactly(length).toString('utf8'));
}

/** @param {object} message */
export function writeFrame(message) {
  const body = Buffer.from(JSON.stringify(message));
  const frame = Buffer.alloc(4 + body.length);
  frame.writeUInt32BE(body.length);
  body.copy(frame, 4);
  for (let at = 0; at < frame.length;) at += writeSync(OUT, frame, at);
}
