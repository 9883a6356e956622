interface Seen {
  /** The newest time at which it was there. */
  atMs: number;
  position: bigint;
}

/** Positions that are remembered; one a second. */
const kept = 900;

/** A position in Postgres' log, as it writes it: `16/B374D848`. */
export function walPosition(text: string): bigint {
  const [high = '', low = ''] = text.split('/');
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}

/**
 * Where the primary's log was, and when. What a replica has replayed says by it up to which time that replica has
 * everything, also while nothing is written: the time of the last transaction would grow old by itself then.
 */
export class WalPositions {
  private seen: Seen[] = [];

  /** @param atMs before the position was asked for: what was committed by then is in the log before it */
  add(atMs: number, position: bigint): void {
    const last = this.seen.at(-1);
    // Another primary, which had received less.
    if (last && position < last.position) this.seen = [];
    if (last?.position === position) last.atMs = atMs;
    else this.seen.push({ atMs, position });
    if (this.seen.length > kept) this.seen.shift();
  }

  /** How old what somebody sees is who has replayed the log up to a position; infinite: older than what is remembered. */
  behindMs(replayed: bigint, nowMs: number): number {
    const reached = this.seen.findLast(({ position }) => position <= replayed);
    return reached ? Math.max(0, nowMs - reached.atMs) : Number.POSITIVE_INFINITY;
  }
}
