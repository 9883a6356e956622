import type { IncomingMessage } from 'node:http';
import { Refused } from './refused.js';

const tooLarge = (maxBytes: number): Refused =>
  new Refused(413, 'body_too_large', `The body is over the limit of ${maxBytes} bytes.`, { connection: 'close' });

/**
 * Reads the raw bytes of a request under a limit that is counted on the stream, whatever Content-Length says.
 * @throws Refused 413 as soon as the limit is passed; the rest is discarded
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
      reject(tooLarge(maxBytes));
      return;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) {
        request.removeAllListeners('data');
        request.resume();
        reject(tooLarge(maxBytes));
        return;
      }
      chunks.push(chunk);
    });
    request.once('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size)));
    request.once('error', reject);
    request.once('aborted', () => reject(new Refused(400, 'aborted', 'The request ended before its body did.')));
  });
}
