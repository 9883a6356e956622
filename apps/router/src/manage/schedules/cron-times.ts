import { Cron } from 'croner';
import { localTime, offsetMs, transitionMs } from './time-zone.js';

/** Sentences about an expression or a zone that cannot be used. */
export class CronProblem extends Error {
  override readonly name = 'CronProblem';

  constructor(
    readonly field: 'cron' | 'time_zone',
    message: string,
  ) {
    super(message);
  }
}

const fields = 'minute, hour, day of the month, month and day of the week';
const dayMs = 86_400_000;
/** Transitions between two ticks that follow each other; more says that something is wrong. */
const mostSteps = 1_000;

/**
 * The times of a cron expression in a time zone. The library knows the expression; what happens when clocks change is
 * decided here, since libraries disagree about it:
 * - Named hours (`30 2 * * *`): a local time that does not exist is the moment at which the clock has jumped, once
 *   however many times were left out. One that exists twice is its first occurrence.
 * - Every hour (`30 * * * *`): the times go on as time does: none for an hour that is left out, and two for one that is
 *   repeated.
 */
export class CronTimes {
  private readonly pattern: Cron;
  private readonly isHourly: boolean;

  /** @throws CronProblem */
  constructor(
    cron: string,
    private readonly zone: string,
  ) {
    requireZone(zone);
    const parts = cron.trim().split(/\s+/);
    if (parts.length !== 5) throw new CronProblem('cron', `give five fields: ${fields}`);
    this.isHourly = parts[1] === '*';
    this.pattern = patternOf(parts.join(' '));
    if (this.nextLocal(localTime(zone, Date.now())) === null) {
      throw new CronProblem('cron', 'there is never such a day');
    }
  }

  /** The first time after `ms`, both since the epoch; null: there is none. */
  next(ms: number): number | null {
    return this.isHourly ? this.nextElapsed(ms) : this.nextNamed(ms);
  }

  /** At most `limit` times after `ms`, and up to `untilMs`. */
  times(ms: number, limit: number, untilMs = Infinity): number[] {
    const found: number[] = [];
    for (let at = this.next(ms); at !== null && at <= untilMs && found.length < limit; at = this.next(at))
      found.push(at);
    return found;
  }

  private nextNamed(ms: number): number | null {
    let local: number | null = localTime(this.zone, ms);
    for (let steps = 0; steps < mostSteps; steps += 1) {
      local = this.nextLocal(local);
      if (local === null) return null;
      const at = firstWith(this.zone, local);
      if (at > ms) return at;
    }
    throw new Error(`no time of ${this.pattern.getPattern()} in ${this.zone} after ${ms}`);
  }

  private nextElapsed(ms: number): number | null {
    let offset = offsetMs(this.zone, ms);
    let from = ms + offset;
    for (let steps = 0; steps < mostSteps; steps += 1) {
      const local = this.nextLocal(from);
      if (local === null) return null;
      const at = local - offset;
      if (offsetMs(this.zone, at) === offset) return at;
      const changed = transitionMs(this.zone, from - offset, at);
      offset = offsetMs(this.zone, changed);
      // The moment of the change itself may be a time.
      from = changed + offset - 1_000;
    }
    throw new Error(`no time of ${this.pattern.getPattern()} in ${this.zone} after ${ms}`);
  }

  /** On a clock that never changes, whose times are written as those of UTC. */
  private nextLocal(local: number): number | null {
    return this.pattern.nextRun(new Date(local))?.getTime() ?? null;
  }
}

/** The first moment at which the clocks of a zone show a time; where they never do, the one at which they jump over it. */
function firstWith(zone: string, local: number): number {
  const [before, after] = [offsetMs(zone, local - dayMs), offsetMs(zone, local + dayMs)];
  for (const offset of [before, after]) {
    if (offsetMs(zone, local - offset) === offset) return local - offset;
  }
  return transitionMs(zone, local - dayMs, local + dayMs);
}

function patternOf(cron: string): Cron {
  try {
    return new Cron(cron, { timezone: 'UTC', mode: '5-part', paused: true });
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    throw new CronProblem('cron', words.replace(/^Cron\w*: /, ''));
  }
}

function requireZone(zone: string): void {
  const refused = (): CronProblem =>
    new CronProblem('time_zone', `there is no time zone "${zone}": give its IANA name, such as Europe/Berlin or UTC`);
  // An offset is none: it would not follow the clocks of any place.
  if (!/^[A-Za-z][\w+-]*(\/[\w+-]+)*$/.test(zone)) throw refused();
  try {
    offsetMs(zone, 0);
  } catch {
    throw refused();
  }
}
