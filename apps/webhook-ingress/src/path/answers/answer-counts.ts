import { Database, Sweeping } from '#libs/database';
import type { Endpoint } from '#libs/contracts';
import { addCounts, latencyBoundsMs, latencyClass, type StatisticCount } from '#libs/journal';
import { Injectable } from '@nestjs/common';

const writeEveryMs = 30_000;
const minuteMs = 60_000;
/** Most Apps and codes counted in one round. */
const maxCounted = 20_000;

interface Counts {
  endpoint: Endpoint;
  minute: number;
  /** Accepted webhooks, by latency class. */
  answered: Uint32Array;
  refused: Map<string, number>;
}

/**
 * Counts how webhooks are answered, and how fast. In memory, so that a request costs one addition. What a process
 * counted in its last seconds is lost with it.
 */
@Injectable()
export class AnswerCounts extends Sweeping {
  private counts = new Map<string, Counts>();
  /** Unwritten counts of minutes that are over, or whose App has changed. */
  private whole: Counts[] = [];

  constructor(private readonly db: Database) {
    super();
    this.sweepEvery({ name: 'answer-counts', everyMs: writeEveryMs, batch: 1, sweep: () => this.write() });
  }

  answered(endpoint: Endpoint, tookMs: number): void {
    const counts = this.of(endpoint);
    const at = latencyClass(tookMs);
    if (counts) counts.answered[at] = (counts.answered[at] ?? 0) + 1;
  }

  refused(endpoint: Endpoint, code: string): void {
    const counts = this.of(endpoint);
    counts?.refused.set(code, (counts.refused.get(code) ?? 0) + 1);
  }

  override async onModuleDestroy(): Promise<void> {
    await super.onModuleDestroy();
    await this.write().catch(() => undefined);
  }

  private of(endpoint: Endpoint): Counts | null {
    const minute = Math.floor(Date.now() / minuteMs);
    const known = this.counts.get(endpoint.app_id);
    if (known?.minute === minute) return known;
    if (known) this.whole.push(known);
    if (this.counts.size + this.whole.length >= maxCounted) return null;
    const fresh = { endpoint, minute, answered: new Uint32Array(latencyBoundsMs.length + 1), refused: new Map() };
    this.counts.set(endpoint.app_id, fresh);
    return fresh;
  }

  /** Writes what was counted since the last call. */
  async write(): Promise<number> {
    const [counts, whole] = [this.counts, this.whole];
    this.counts = new Map();
    this.whole = [];
    const all = [...whole, ...counts.values()];
    try {
      await addCounts(this.db, all.flatMap(rowsOf));
    } catch (error) {
      // Kept for the next round: it was one statement, so nothing of it was written.
      this.whole.push(...all.slice(0, maxCounted));
      throw error;
    }
    return 0;
  }
}

function rowsOf({ endpoint, minute, answered, refused }: Counts): StatisticCount[] {
  const common = {
    organization_id: endpoint.organization_id,
    project_id: endpoint.project_id,
    app_id: endpoint.app_id,
    minute: new Date(minute * minuteMs),
  };
  const acks = [...answered].flatMap((count, at) =>
    count === 0 ? [] : [{ ...common, measure: 'ack_ms' as const, label: String(at), count }],
  );
  const refusals = [...refused].map(([label, count]) => ({ ...common, measure: 'refused' as const, label, count }));
  return [...acks, ...refusals];
}
