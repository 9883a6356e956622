/** Where Discord goes on with a session: it sends again what came after. */
export interface GatewayPosition {
  session: string;
  /** Of the last event. */
  seq: number;
  /** The address that Discord named for it. */
  url: string;
  /** What the session asked for, as Discord's bits. */
  intents: number;
}

const POSITION = /^([\w-]{1,200}):(\d{1,15}):(\d{1,10}):(wss?:\/\/\S{1,500})$/;
const NONE = '-';
const MOST_POSITIONS = 1_000;

/** Of each connection, in order; null for one that has no session yet. */
export function cursorOf(positions: (GatewayPosition | null)[]): string {
  return positions
    .map((position) => {
      if (!position) return NONE;
      const { session, seq, intents, url } = position;
      return `${session}:${seq}:${intents}:${url}`;
    })
    .join(' ');
}

/** @returns null: no answer gave it */
export function positionsOf(cursor: string): (GatewayPosition | null)[] | null {
  const parts = cursor.split(' ');
  const positions = parts.map((part) => (part === NONE ? null : positionOf(part)));
  const isCursor = parts.length <= MOST_POSITIONS && parts.every((part, at) => part === NONE || positions[at] !== null);
  return isCursor ? positions : null;
}

function positionOf(text: string): GatewayPosition | null {
  const [, session, seq, intents, url] = POSITION.exec(text) ?? [];
  return session === undefined || url === undefined
    ? null
    : { session, seq: Number(seq), intents: Number(intents), url };
}

interface Epoch extends Omit<GatewayPosition, 'seq'> {
  /** The inbox's number of the event before the session's first one. */
  before: number;
}

/** One line of numbers over the sessions that follow each other, each of which begins at 1. */
export class SessionNumbers {
  private epochs: Epoch[] = [];

  /** Of an event of the session that was begun last. */
  numberOf(seq: number): number {
    return (this.epochs.at(-1)?.before ?? 0) + seq;
  }

  /** @returns undefined: it is of a session of another process */
  find({ session, seq }: GatewayPosition): number | undefined {
    const index = this.epochs.findIndex((known) => known.session === session);
    const epoch = this.epochs[index];
    return epoch && Math.min(epoch.before + seq, this.epochs[index + 1]?.before ?? Infinity);
  }

  /** @returns null: nothing of the session that was begun last */
  seqOf(number: number): number | null {
    const seq = number - (this.epochs.at(-1)?.before ?? 0);
    return seq > 0 ? seq : null;
  }

  /** @returns null: no session has begun */
  position(number: number): GatewayPosition | null {
    const epoch = this.epochs.findLast(({ before }) => before < number) ?? this.epochs[0];
    if (!epoch) return null;
    const { before, ...session } = epoch;
    return { ...session, seq: Math.max(0, number - before) };
  }

  /** A session whose event `seq` has the number `number`. */
  begin({ seq, ...session }: GatewayPosition, number: number): void {
    this.epochs.push({ ...session, before: number - seq });
  }

  /** Nothing before it is asked for any more. */
  forgetBefore(number: number): void {
    const current = this.epochs.findLastIndex(({ before }) => before < number);
    if (current > 0) this.epochs = this.epochs.slice(current);
  }
}
