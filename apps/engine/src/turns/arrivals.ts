import { JobClient } from '#libs/queue';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { type EngineSettings, SETTINGS } from '../settings.js';

/** How many places are read at once. */
const readAtMost = 512;
const askEveryMs = 10;

interface Arrived {
  place: string;
  /** By `performance.now()`. */
  untilMs: number;
  go: () => void;
}

interface Line {
  waiting: Arrived[];
  /** Places that were let go but are not stored yet. */
  gone: Set<string>;
  asking: boolean;
  timer?: NodeJS.Timeout;
}

/**
 * Stores the turns of an App's sessions in the order in which their receipts were acknowledged. A turn waits while an
 * earlier one is on its way, but at most ORDER_WAIT_MS. After that, the earlier one loses its place.
 */
@Injectable()
export class Arrivals {
  private readonly logger = new Logger('arrivals');
  private readonly lines = new Map<string, Line>();

  constructor(
    private readonly jobs: JobClient,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  /** Resolves when a place may be stored. Within a process, places resolve in order. */
  inOrder(appId: string, place: string): Promise<void> {
    let line = this.lines.get(appId);
    if (!line) this.lines.set(appId, (line = { waiting: [], gone: new Set(), asking: false }));
    const { waiting } = line;
    return new Promise((resolve) => {
      waiting.push({ place, untilMs: performance.now() + this.settings.ORDER_WAIT_MS, go: resolve });
      void this.ask(appId, line);
    });
  }

  /** The turn of this place is stored or never will be, so turns behind it may proceed. */
  stored(appId: string, place: string): void {
    this.jobs.order.leave(appId, place);
    const line = this.lines.get(appId);
    line?.gone.delete(place);
    if (line?.waiting.length) void this.ask(appId, line);
    else if (line?.gone.size === 0) this.lines.delete(appId);
  }

  private async ask(appId: string, line: Line): Promise<void> {
    if (line.asking) return;
    line.asking = true;
    // One question for all that arrive in the same tick.
    await Promise.resolve();
    const last = lastOf(line.waiting);
    // Without Redis, nobody waits.
    const first = await this.jobs.order.upTo(appId, last, readAtMost).catch(() => []);
    line.asking = false;
    this.letGo(appId, line, first, last);
    if (line.waiting.length === 0) return;
    line.timer ??= setTimeout(() => {
      delete line.timer;
      void this.ask(appId, line);
    }, askEveryMs);
  }

  /** @param first the App's first places in order, up to `last` */
  private letGo(appId: string, line: Line, first: string[], last: string): void {
    const here = new Set([...line.gone, ...line.waiting.map(({ place }) => place)]);
    const elsewhere = first.filter((place) => !here.has(place));
    // Places beyond the ones that were read, or newer than `last`, are unknown.
    const known = first.length < readAtMost ? last : (first.at(-1) ?? last);
    const nowMs = performance.now();
    const late = lastOf(line.waiting.filter(({ untilMs }) => untilMs <= nowMs));
    const lost = elsewhere.filter((place) => place < late);
    for (const place of lost) this.jobs.order.leave(appId, place);
    if (lost.length > 0)
      this.logger.warn({ event: 'order.given_up', app: appId, receipts: lost.slice(0, 5), count: lost.length });
    const blocker = elsewhere.find((place) => place > late);
    const isFree = (place: string): boolean =>
      place <= late || (place <= known && (blocker === undefined || place < blocker));
    const free = line.waiting.filter(({ place }) => isFree(place)).sort((a, b) => (a.place < b.place ? -1 : 1));
    line.waiting = line.waiting.filter(({ place }) => !isFree(place));
    for (const { place, go } of free) {
      line.gone.add(place);
      go();
    }
  }
}

function lastOf(arrived: Arrived[]): string {
  return arrived.reduce((last, { place }) => (place > last ? place : last), '');
}
