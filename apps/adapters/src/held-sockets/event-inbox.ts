import { POLL_MAX_EVENTS, type PolledEvent } from '#libs/adapter-sdk';

interface Kept {
  seq: number;
  event: PolledEvent;
  acknowledge: () => void;
}

/** Of all events in one answer: the gateway takes 4 MiB. */
export const MAX_ANSWER_CHARACTERS = 1024 * 1024;

/** What an answer has still room for, over all inboxes that it is from. The first event always fits. */
export interface AnswerRoom {
  events: number;
  characters: number;
}

const FULL = 1_000;

/** What a socket brought. Each event is handed out until the platform says that it has stored it. */
export class EventInbox {
  private kept: Kept[] = [];
  /** Of the last message that was read, whether it is an event or not. */
  private lastSeq = 0;

  /** @param waiting those who wait for an event of this inbox, or of others with the same set */
  constructor(private readonly waiting = new Set<() => void>()) {}

  get isEmpty(): boolean {
    return this.kept.length === 0;
  }

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
    if (this.isEmpty && waitMs > 0) await this.arrival(waitMs);
    return this.take({ events: POLL_MAX_EVENTS, characters: MAX_ANSWER_CHARACTERS });
  }

  /** As `next`, of what is there. @param room which it takes from */
  take(room: AnswerRoom): { events: PolledEvent[]; seq: number } {
    const events: PolledEvent[] = [];
    for (const { seq, event } of this.kept) {
      const isFirst = room.events === POLL_MAX_EVENTS;
      if (room.events === 0 || (room.characters < event.body.length && !isFirst)) return { events, seq: seq - 1 };
      room.events -= 1;
      room.characters -= event.body.length;
      events.push(event);
    }
    return { events, seq: this.lastSeq };
  }

  wake(): void {
    for (const go of this.waiting) go();
  }

  /** Waits for an event, or for `wake`. */
  async arrival(waitMs: number): Promise<void> {
    const arrived = Promise.withResolvers<void>();
    const timer = setTimeout(arrived.resolve, waitMs);
    this.waiting.add(arrived.resolve);
    await arrived.promise;
    clearTimeout(timer);
    this.waiting.delete(arrived.resolve);
  }
}
