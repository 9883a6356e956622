import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { Refused } from '../request/incoming.js';

type Decoder = Transform & { bytesWritten: number };

/** By content coding (RFC 9110, 8.4.1). `deflate` is zlib's form; some senders send the bare one. */
const codings: Readonly<Record<string, (body: Buffer) => Decoder>> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  deflate: (body) => (hasZlibHeader(body) ? createInflate() : createInflateRaw()),
  br: () => createBrotliDecompress(),
};
const accepted = 'gzip, deflate, br';

/**
 * The codings of a body, in the order in which they were applied.
 * @param most of them, one over the other; 0: a body has to come as it is
 * @throws Refused 415 `unsupported_encoding`
 */
export function codingsOf(header: string | string[] | undefined, most: number): string[] {
  if (header === undefined) return [];
  const names = [header]
    .flat()
    .join(',')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length === 0) return names;
  if (most === 0) throw unsupported('Compressed bodies are not read here: send the body as it is.', 'identity');
  const unknown = names.find((name) => !Object.hasOwn(codings, name));
  if (unknown !== undefined) {
    const detail = `The Content-Encoding ${unknown.slice(0, 40)} is not read: send the body as it is, or as ${accepted}.`;
    throw unsupported(detail, accepted);
  }
  if (names.length > most) {
    const detail = `The Content-Encoding names ${names.length} codings, and ${most} are the most (BODY_MAX_CODINGS).`;
    throw unsupported(detail, accepted);
  }
  return names;
}

function unsupported(detail: string, acceptEncoding: string): Refused {
  return new Refused(415, 'unsupported_encoding', detail, { 'accept-encoding': acceptEncoding });
}

/**
 * Undoes the codings of a body. Nothing may follow the end of what is compressed; gzip may have several members.
 * @param maxBytes that the body, and each step on the way to it, may have
 * @param hold counts memory for so many bytes more, or throws
 * @throws Refused 413 `body_too_large`, 400 `invalid_encoding`
 */
export async function decompressed(
  body: Buffer,
  names: string[],
  maxBytes: number,
  hold: (bytes: number) => void,
): Promise<Buffer> {
  let bytes = body;
  for (const name of [...names].reverse()) {
    const decoder = codings[name]?.(bytes);
    if (!decoder) throw new Error(`There is no coding ${name}`);
    bytes = await decoded(bytes, decoder, name, maxBytes, hold);
  }
  return bytes;
}

async function decoded(
  body: Buffer,
  decoder: Decoder,
  name: string,
  maxBytes: number,
  hold: (bytes: number) => void,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let total = 0;
  decoder.end(body);
  try {
    for await (const chunk of decoder as AsyncIterable<Buffer>) {
      total += chunk.length;
      if (total > maxBytes) {
        throw new Refused(413, 'body_too_large', `Decompressed, the body is over the limit of ${maxBytes} bytes.`);
      }
      hold(chunk.length);
      chunks.push(chunk);
    }
  } catch (error) {
    throw isOfZlib(error) ? invalid(`is not ${name}, as its Content-Encoding says, or is cut off`) : error;
  }
  // zlib stops at the end of its data, and says nothing of what follows.
  if (decoder.bytesWritten < body.length) throw invalid(`goes on behind the end of its ${name} data`);
  return Buffer.concat(chunks);
}

function invalid(what: string): Refused {
  return new Refused(400, 'invalid_encoding', `The body ${what}: send it again, whole.`);
}

/** zlib's errors have a code and a number; Node's own for brotli have codes that begin alike. */
function isOfZlib(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^(Z_|ERR_|BROTLI)/.test(code);
}

/** RFC 1950, 2.2: the method is deflate, and both bytes are a multiple of 31. */
function hasZlibHeader([first = 0, second = 0]: Buffer): boolean {
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;
}
