import type { FastifyInstance } from 'fastify';
import { Readable } from 'node:stream';

const pieceBytes = 65_536;
/** Of all long answers together, between two looks at what else there is to do: about a millisecond. */
const piecesPerTurn = 16;
/** An address that may send again is looked at this often. */
const pauseMs = 10;
/** What an address has sent at once, before its rate counts: the longest answers, to a few clients. */
const burstSeconds = 0.25;

/**
 * Sends long answers in pieces. The system takes megabytes of each at once, even for a client that reads nothing, and
 * copies them while nothing else happens: five hundred such answers hold everybody up for seconds, and fill the memory
 * that the system has for all connections.
 * @param bytesPerSecond of the long answers to one address
 */
export function sendInPieces(fastify: FastifyInstance, bytesPerSecond: number): void {
  const pieces = new AnswerPieces(bytesPerSecond);
  fastify.addHook<string | Buffer | Readable | null>('onSend', (request, reply, payload, done) => {
    const isText = typeof payload === 'string';
    const length = isText ? Buffer.byteLength(payload) : Buffer.isBuffer(payload) ? payload.length : 0;
    if (length <= pieceBytes || request.method === 'HEAD') return done(null, payload);
    reply.header('content-length', length);
    done(null, pieces.of(isText ? Buffer.from(payload) : (payload as Buffer), request.ip));
  });
}

/** The pieces that the answers to one address want sent, and how many bytes it may have now. */
interface Line {
  wanted: (() => number)[];
  allowed: number;
  sinceMs: number;
}

/** The answers take turns, so that a short rest does not wait for the whole of another one. */
export class AnswerPieces {
  private readonly lines = new Map<string, Line>();
  private soon = false;
  private later: NodeJS.Timeout | undefined;

  constructor(private readonly bytesPerSecond: number) {}

  of(bytes: Buffer, address: string): Readable {
    let at = 0;
    const push = (): number => {
      if (readable.destroyed) return 0;
      const piece = bytes.subarray(at, at + pieceBytes);
      at += piece.length;
      readable.push(piece);
      if (at >= bytes.length) readable.push(null);
      return piece.length;
    };
    const readable = new Readable({ highWaterMark: pieceBytes, read: () => this.want(address, push) });
    return readable;
  }

  private want(address: string, push: () => number): void {
    const line = this.lines.get(address) ?? { wanted: [], allowed: this.burst, sinceMs: performance.now() };
    this.lines.set(address, line);
    line.wanted.push(push);
    this.schedule();
  }

  private schedule(): void {
    if (this.soon) return;
    this.soon = true;
    clearTimeout(this.later);
    setImmediate(this.turn);
  }

  private readonly turn = (): void => {
    this.soon = false;
    const nowMs = performance.now();
    let left = piecesPerTurn;
    let waits = false;
    // Those of now: a line that is set again comes later.
    const lines = Array.from(this.lines);
    for (const [address, line] of lines) {
      this.allow(line, nowMs);
      const had = left > 0;
      while (left > 0 && line.allowed > 0 && line.wanted.length > 0) {
        line.allowed -= line.wanted.shift()?.() ?? 0;
        left -= 1;
      }
      // The next turn begins with those that this one had no piece left for.
      if (had) this.lines.delete(address);
      if (had && (line.wanted.length > 0 || line.allowed < this.burst)) this.lines.set(address, line);
      if (line.wanted.length === 0) continue;
      if (line.allowed > 0) this.schedule();
      else waits = true;
    }
    clearTimeout(this.later);
    if (waits && !this.soon) this.later = setTimeout(this.turn, pauseMs);
  };

  private get burst(): number {
    return this.bytesPerSecond * burstSeconds;
  }

  private allow(line: Line, nowMs: number): void {
    line.allowed = Math.min(this.burst, line.allowed + ((nowMs - line.sinceMs) / 1_000) * this.bytesPerSecond);
    line.sinceMs = nowMs;
  }
}
