import type { ServerResponse } from 'node:http';

export interface EventStreamLimits {
  heartbeatMs: number;
  /** After this the stream ends, so that its client proves again that it may listen. */
  maxMs: number;
}

const heartbeatFrame = ': still here\n\n';
const lingerMs = 1_000;

/** One answer of server-sent events (WHATWG HTML 9.2), open until its client leaves or has to come again. */
export class EventStream {
  /** @param onClose called once, however it ends */
  constructor(
    private readonly response: ServerResponse,
    limits: EventStreamLimits,
    onClose: () => void,
  ) {
    const timers = [
      setInterval(() => this.write(heartbeatFrame), limits.heartbeatMs),
      setTimeout(() => this.end(), limits.maxMs),
    ];
    const close = (): void => {
      for (const timer of timers) clearTimeout(timer);
      onClose();
    };
    // A client that has left before this would never be noticed.
    if (response.closed) setImmediate(close);
    else response.once('close', close);
    response.statusCode = 200;
    // Not by `writeHead`: what is set there alone cannot be read again, and this type says that the stream is live.
    response.setHeader('content-type', 'text/event-stream; charset=utf-8');
    response.setHeader('cache-control', 'no-store');
    response.setHeader('x-accel-buffering', 'no');
    // A connection kept for reuse after the stream would delay a shutdown.
    response.setHeader('connection', 'close');
    this.write('retry: 2000\n\n');
  }

  /** The client has not taken all of what was written. */
  get isBehind(): boolean {
    return this.response.writableNeedDrain;
  }

  /** Calls the listener whenever the client has taken all of what was written. */
  onDrained(listener: () => void): void {
    this.response.on('drain', listener);
  }

  /** Bytes that the client has not taken. */
  get unsentBytes(): number {
    return this.response.writableLength;
  }

  write(frame: string): void {
    if (this.response.writableEnded || this.response.destroyed) return;
    this.response.write(frame);
  }

  end(): void {
    this.response.end();
    // A client that does not read would hold up the connection, and a shutdown.
    setTimeout(() => this.response.destroy(), lingerMs).unref();
  }

  /** Disconnects the client at once. */
  destroy(): void {
    this.response.destroy();
  }
}
