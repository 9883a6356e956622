import { POLL_MAX_EVENTS, type PolledEvent } from '#libs/adapter-sdk';

interface Kept {
  seq: number;
  event: PolledEvent;
  acknowledge: () => void;
}

/** Of all events in one answer: the gateway takes 4 MiB. */
const MAX_ANSWER_CHARACTERS = 1024 * 1024;
const FULL = 1_000;

/** What a socket brought. Each event is handed out until the platform says that it has stored it. */
export class EventInbox {
  private kept: Kept[] = [];
  private readonly waiting = new Set<() => void>();
  /** Of the last message that was read, whether it is an event or not. */
  private lastSeq = 0;

  get last(): number {
    return this.lastSeq;
  }

  /** Up to here the platform has stored everything. */
  get stored(): number {
    const [oldest] = this.kept;
    return oldest ? oldest.seq - 1 : this.lastSeq;
  }

  /**
   * An event that is here already was sent again: it is acknowledged where it came last.
   * @param acknowledge runs once the platform has stored it
   */
  add(seq: number, event: PolledEvent, acknowledge: () => void = () => undefined): void {
    const known = this.kept.find((kept) => kept.event.id === event.id);
    if (known) known.acknowledge = acknowledge;
    else this.kept.push({ seq, event, acknowledge });
    this.read(seq);
    this.wake();
  }

  /** Up to here there is nothing more than what was added. */
  read(seq: number): void {
    this.lastSeq = Math.max(this.lastSeq, seq);
  }

  /** Takes out what the platform has stored. */
  acknowledge(seq: number): void {
    const stored = this.kept.filter((kept) => kept.seq <= seq);
    this.kept = this.kept.filter((kept) => kept.seq > seq);
    for (const { acknowledge } of stored) acknowledge();
  }

  /** The platform stores more slowly than events come: the socket should be read no further. */
  get isFull(): boolean {
    return this.kept.length >= FULL;
  }

  /** What is not acknowledged, the oldest first. Waits if there is nothing, until there is or until `wake`. */
  async next(waitMs: number): Promise<{ events: PolledEvent[]; seq: number }> {
    if (this.kept.length === 0 && waitMs > 0) await this.arrival(waitMs);
    const events: PolledEvent[] = [];
    let room = MAX_ANSWER_CHARACTERS;
    for (const { seq, event } of this.kept) {
      room -= event.body.length;
      if (events.length === POLL_MAX_EVENTS || (room < 0 && events.length > 0)) return { events, seq: seq - 1 };
      events.push(event);
    }
    return { events, seq: this.lastSeq };
  }

  wake(): void {
    for (const go of this.waiting) go();
  }

  private async arrival(waitMs: number): Promise<void> {
    const arrived = Promise.withResolvers<void>();
    const timer = setTimeout(arrived.resolve, waitMs);
    this.waiting.add(arrived.resolve);
    await arrived.promise;
    clearTimeout(timer);
    this.waiting.delete(arrived.resolve);
  }
}
