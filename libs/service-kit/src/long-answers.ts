import type { FastifyInstance } from 'fastify';
import { Readable } from 'node:stream';

const pieceBytes = 65_536;
/** Of all long answers together, between two looks at what else there is to do: about a millisecond. */
const piecesPerTurn = 16;

/**
 * Sends long answers in pieces. The system takes megabytes of each at once, even for a client that reads nothing, and
 * copies them while nothing else happens: five hundred such answers hold everybody up for seconds.
 */
export function sendInPieces(fastify: FastifyInstance): void {
  const pieces = new AnswerPieces();
  fastify.addHook<string | Buffer | Readable | null>('onSend', (request, reply, payload, done) => {
    const isText = typeof payload === 'string';
    const length = isText ? Buffer.byteLength(payload) : Buffer.isBuffer(payload) ? payload.length : 0;
    if (length <= pieceBytes || request.method === 'HEAD') return done(null, payload);
    reply.header('content-length', length);
    done(null, pieces.of(isText ? Buffer.from(payload) : (payload as Buffer)));
  });
}

/** The answers take turns, so that a short rest does not wait for the whole of another one. */
export class AnswerPieces {
  private readonly wanted: (() => void)[] = [];
  private scheduled = false;

  of(bytes: Buffer): Readable {
    let at = 0;
    const push = (): void => {
      if (readable.destroyed) return;
      const piece = bytes.subarray(at, at + pieceBytes);
      at += piece.length;
      readable.push(piece);
      if (at >= bytes.length) readable.push(null);
    };
    const readable = new Readable({ highWaterMark: pieceBytes, read: () => this.want(push) });
    return readable;
  }

  private want(push: () => void): void {
    this.wanted.push(push);
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(this.turn);
  }

  private readonly turn = (): void => {
    for (const push of this.wanted.splice(0, piecesPerTurn)) push();
    this.scheduled = this.wanted.length > 0;
    if (this.scheduled) setImmediate(this.turn);
  };
}
