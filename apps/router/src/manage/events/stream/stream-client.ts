import type { LiveEntry } from '#libs/journal';
import type { ServerResponse } from 'node:http';
import { entryFrame, gapFrame, heartbeatFrame } from './frame.js';
import { type Stage, stages } from '#libs/contracts';
import { OneOf, Text } from '#libs/service-kit';

export class StreamFilter {
  @Text(100, { optional: true }) app_id?: string;
  @Text(100, { optional: true, description: 'Only this event' }) event_id?: string;
  @OneOf(stages, { optional: true }) stage?: Stage;
}

export function passes(filter: StreamFilter, entry: LiveEntry): boolean {
  return (
    (filter.app_id ?? entry.app_id) === entry.app_id &&
    (filter.event_id ?? entry.receipt_id) === entry.receipt_id &&
    (filter.stage ?? entry.stage) === entry.stage
  );
}

export interface StreamLimits {
  heartbeatMs: number;
  maxMs: number;
  bufferBytes: number;
}

const lingerMs = 1_000;

/** One client's stream: open until it leaves, is too slow, or has to prove again that it may listen. */
export class StreamClient {
  private readonly timers: NodeJS.Timeout[];
  /** Entries that arrived while older ones were still being read for this client. */
  private waiting: { id: string; entry: LiveEntry }[] | null = [];
  private readonly early = new Set<string>();
  /** True when it has not taken all of the earlier rounds. */
  private behind = false;

  constructor(
    private readonly response: ServerResponse,
    private readonly filter: StreamFilter,
    private readonly limits: StreamLimits,
    onClose: () => void,
  ) {
    this.timers = [
      setInterval(() => this.write(heartbeatFrame), limits.heartbeatMs),
      setTimeout(() => this.end(), limits.maxMs),
    ];
    response.once('close', () => {
      for (const timer of this.timers) clearTimeout(timer);
      onClose();
    });
    response.statusCode = 200;
    // Not by `writeHead`: what is set there alone cannot be read again, and this type says that the stream is live.
    response.setHeader('content-type', 'text/event-stream; charset=utf-8');
    response.setHeader('cache-control', 'no-store');
    response.setHeader('x-accel-buffering', 'no');
    // A connection kept for reuse after the stream would delay a shutdown.
    response.setHeader('connection', 'close');
    this.write('retry: 2000\n\n');
  }

  /** Sends what the client missed, then what arrived meanwhile, and from then on each new entry. */
  begin(missed: { id: string; entry: LiveEntry }[], complete: boolean): void {
    if (!complete) this.write(gapFrame);
    for (const { id, entry } of missed) {
      this.early.add(id);
      this.send(id, entry);
    }
    const came = this.waiting ?? [];
    this.waiting = null;
    for (const { id, entry } of came) this.offer(id, entry);
  }

  /** Everything offered from here on belongs to one round. */
  beginRound(): void {
    this.behind = this.response.writableNeedDrain;
  }

  offer(id: string, entry: LiveEntry): void {
    if (!passes(this.filter, entry)) return;
    if (this.waiting) this.waiting.push({ id, entry });
    else if (!this.early.delete(id)) this.send(id, entry);
  }

  end(): void {
    this.response.end();
    // A client that does not read would hold up the connection, and a shutdown.
    setTimeout(() => this.response.destroy(), lingerMs).unref();
  }

  private send(id: string, entry: LiveEntry): void {
    if (passes(this.filter, entry)) this.write(entryFrame(id, entry));
  }

  /** A client that does not read would fill the memory: it is disconnected, and may resume. */
  private write(frame: string): void {
    if (this.response.writableEnded || this.response.destroyed) return;
    if (this.behind && this.response.writableLength > this.limits.bufferBytes) this.response.destroy();
    else this.response.write(frame);
  }
}
