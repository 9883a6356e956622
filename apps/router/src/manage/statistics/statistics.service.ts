import type { Queryable } from '#libs/database';
import { countsByApp, countsByStep, latencyOf, type Measure, type StatisticScope } from '#libs/journal';
import { ListReads, withBehind } from '#libs/list-reads';
import type { Principal } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { type RouterSettings, SETTINGS } from '../../env.js';
import type { CountsView, MessageStatisticsView, StatisticsQuery } from './statistics.dto.js';
import { spanOf } from './statistics-span.js';

interface Count {
  measure: Measure;
  label: string;
  count: number;
}

/** What became of messages over time, and how long it took. */
@Injectable()
export class StatisticsService {
  constructor(
    private readonly reads: ListReads,
    @Inject(SETTINGS) private readonly settings: RouterSettings,
  ) {}

  /** @throws Problem 422 as `spanOf` */
  async messages(caller: Principal, query: StatisticsQuery): Promise<MessageStatisticsView> {
    const span = spanOf(query, Date.now(), this.settings.STATISTICS_MINUTE_DAYS);
    const { organizationId, projectId } = caller;
    const scope = { organizationId, projectId, appId: query.app_id ?? null, from: span.from, to: span.to };
    return withBehind(await this.reads.read('message-statistics', caller, (db) => counted(db, scope, span)));
  }
}

type Span = ReturnType<typeof spanOf>;

async function counted(
  db: Queryable,
  scope: StatisticScope,
  span: Span,
): Promise<Omit<MessageStatisticsView, 'behind_ms'>> {
  const [counts, ofApps] = await Promise.all([countsByStep(db, scope, `1 ${span.step}`), countsByApp(db, scope)]);
  const byStep = Map.groupBy(counts, ({ at }) => at.getTime());
  const length = Math.round((span.to.getTime() - span.from.getTime()) / span.stepMs);
  const series = Array.from({ length }, (_, index) => {
    const atMs = span.from.getTime() + index * span.stepMs;
    return { at: new Date(atMs), ...countsView(byStep.get(atMs) ?? []) };
  });
  const apps = [...Map.groupBy(ofApps, ({ app_id: id }) => id)].map(([app_id, own]) => ({
    app_id,
    ...countsView(own),
  }));
  return { from: span.from, to: span.to, step: span.step, total: countsView(counts), series, apps };
}

/** The counts in the form that people read. */
function countsView(counts: Count[]): Pick<CountsView, keyof CountsView> {
  const of = (measure: Measure): Count[] => counts.filter((one) => one.measure === measure);
  const labels = (measure: Measure): { label: string; count: number }[] =>
    summed(of(measure)).map(([label, count]) => ({ label, count }));
  const latency = (measure: Measure): CountsView['ack'] =>
    latencyOf(new Map(summed(of(measure)).map(([label, count]) => [Number(label), count])));
  const ack = latency('ack_ms');
  return {
    received: ack.count + of('unanswered').reduce((sum, { count }) => sum + count, 0),
    outcomes: labels('outcome').map(({ label, count }) => ({ outcome: label, count })),
    refused: labels('refused'),
    turns: labels('turn'),
    deliveries: labels('delivery'),
    ack,
    turn: latency('turn_ms'),
    delivery: latency('delivery_ms'),
    reply: latency('reply_ms'),
  };
}

function summed(counts: Count[]): [string, number][] {
  const sums = new Map<string, number>();
  for (const { label, count } of counts) sums.set(label, (sums.get(label) ?? 0) + count);
  return [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1));
}
