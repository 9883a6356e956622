import type { LiveEntry } from '#libs/journal';
import type { ServerResponse } from 'node:http';
import { entryFrame, gapFrame } from './frame.js';
import { type Stage, stages } from '#libs/contracts';
import { EventStream, OneOf, Text } from '#libs/service-kit';

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

/** One client's stream: open until it leaves, is too slow, or has to prove again that it may listen. */
export class StreamClient {
  private readonly stream: EventStream;
  /** Entries that arrived while older ones were still being read for this client. */
  private waiting: { id: string; entry: LiveEntry }[] | null = [];
  private readonly early = new Set<string>();
  /** True when it has not taken all of the earlier rounds. */
  private behind = false;

  constructor(
    response: ServerResponse,
    private readonly filter: StreamFilter,
    private readonly limits: StreamLimits,
    onClose: () => void,
  ) {
    this.stream = new EventStream(response, limits, onClose);
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
    this.behind = this.stream.isBehind;
  }

  offer(id: string, entry: LiveEntry): void {
    if (!passes(this.filter, entry)) return;
    if (this.waiting) this.waiting.push({ id, entry });
    else if (!this.early.delete(id)) this.send(id, entry);
  }

  end(): void {
    this.stream.end();
  }

  private send(id: string, entry: LiveEntry): void {
    if (passes(this.filter, entry)) this.write(entryFrame(id, entry));
  }

  /** A client that does not read would fill the memory: it is disconnected, and may resume. */
  private write(frame: string): void {
    if (this.behind && this.stream.unsentBytes > this.limits.bufferBytes) this.stream.destroy();
    else this.stream.write(frame);
  }
}
