import { Database } from '#libs/database';
import { countsByApp, countsByStep } from '#libs/journal';
import type { Principal } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { RouterSettings } from '../env.js';
import { SETTINGS } from '../settings.js';
import { countsView } from './counts.js';
import type { MessageStatisticsView, StatisticsQuery } from './statistics.dto.js';
import { spanOf } from './statistics-span.js';

/** What became of messages over time, and how long it took. */
@Injectable()
export class StatisticsService {
  constructor(
    private readonly db: Database,
    @Inject(SETTINGS) private readonly settings: RouterSettings,
  ) {}

  /** @throws Problem 422 as `spanOf` */
  async messages(caller: Principal, query: StatisticsQuery): Promise<MessageStatisticsView> {
    const span = spanOf(query, Date.now(), this.settings.STATISTICS_MINUTE_DAYS);
    const { organizationId, projectId } = caller;
    const scope = { organizationId, projectId, appId: query.app_id ?? null, from: span.from, to: span.to };
    const [counts, ofApps] = await Promise.all([
      countsByStep(this.db, scope, `1 ${span.step}`),
      countsByApp(this.db, scope),
    ]);
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
}
