import { scopeOf } from '#libs/contracts';
import { Sweeper, Sweeping } from '#libs/database';
import { errorCode } from '#libs/queue';
import { Problem } from '#libs/service-kit';
import { type Policy, settlementOf } from '#libs/work';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { AttentionList } from '../attention/attention-list.js';
import { AttentionMuteRepository } from '../attention/attention-mute.repository.js';
import { type PortalSettings, SETTINGS } from '../settings.js';
import type { AlertRule } from './alert-rule.entity.js';
import { AlertSender } from './alert-sender.js';
import type { AlertWatch } from './alert-watch.entity.js';
import { AlertWatchRepository, type Sights } from './alert-watch.repository.js';
import { AlertRepository } from './alert.repository.js';
import { itemOfRate, type MessageRates, ProjectRates, ratesService } from './project-rates.js';

const batch = 5;
const hourMs = 3_600_000;
/** Of a look that fails: it is repeated for ever. */
const policy: Policy = {
  tries: Number.MAX_SAFE_INTEGER,
  backoff: { baseMs: 1_000, capMs: 60_000 },
  jitter: 0.2,
  ageMs: null,
  failuresAge: false,
};

/** Looks at each project with rules, in one replica at a time. */
@Injectable()
export class AlertWatcher extends Sweeping {
  private readonly logger = new Logger('alerts');
  private readonly sweeper: Sweeper;

  constructor(
    private readonly watches: AlertWatchRepository,
    private readonly alerts: AlertRepository,
    private readonly attention: AttentionList,
    private readonly mutes: AttentionMuteRepository,
    private readonly rates: ProjectRates,
    private readonly sender: AlertSender,
    @Inject(SETTINGS) private readonly settings: PortalSettings,
  ) {
    super();
    const everyMs = settings.ALERT_LOOK_MS;
    this.sweeper = this.sweepEvery({ name: 'alert-watches', everyMs, batch, sweep: (limit) => this.sweep(limit) });
    this.sweepEvery({ name: 'old-alerts', everyMs: hourMs, batch: 1, sweep: () => this.forget() });
  }

  /** A rule was made or changed: nobody waits for the interval. */
  soon(): void {
    this.sweeper.soon();
  }

  private async sweep(limit: number): Promise<number> {
    const claimed = await this.watches.work.claimDue(limit);
    await Promise.all(
      claimed.map((watch) =>
        this.watches.work.run({ key: watch.project_id, claim: watch.claim }, () => this.look(watch)),
      ),
    );
    return claimed.length;
  }

  /** A look that fails gives its project back: nobody else would look at it before the lease ends. */
  private async look(watch: AlertWatch): Promise<void> {
    try {
      await this.see(watch);
    } catch (error) {
      const code = errorCode(error);
      this.logger.warn({ event: 'alert.look_failed', project: watch.project_id, code, error: String(error) });
      await this.watches.work.settle([settlementOf(watch.project_id, watch, { do: 'retry', code }, policy)]);
    }
  }

  private async see(watch: AlertWatch): Promise<void> {
    const rules = await this.watches.rules(scopeOf(watch));
    const active = rules !== null && rules.length > 0;
    const sights = active ? await this.sightsOf(watch, rules) : null;
    const made = await this.watches.record(watch, sights, active ? this.settings.ALERT_LOOK_MS : hourMs);
    if (made > 0) this.sender.soon();
  }

  private async sightsOf(watch: AlertWatch, rules: AlertRule[]): Promise<Sights> {
    const scope = scopeOf(watch);
    const spans = new Set(rules.flatMap(({ rate }) => rate?.minutes ?? []));
    const [report, mutes, measured] = await Promise.all([
      this.attention.of(scope),
      this.mutes.now(scope),
      Promise.all([...spans].map(async (minutes) => [minutes, await this.ratesOf(watch, minutes)] as const)),
    ]);
    const rates = new Map(measured);
    const common = { muted: new Set(mutes.keys()), now: new Date() };
    return ({ rate }) => {
      const known = rate && rates.get(rate.minutes);
      const item = known ? itemOfRate(rate, known) : null;
      return {
        ...common,
        items: [...report.items, ...(item ? [item] : [])],
        unknown: [...report.unknown, ...(rate && !known ? [ratesService] : [])],
      };
    };
  }

  /** Null: the router does not answer now. */
  private async ratesOf(watch: AlertWatch, minutes: number): Promise<MessageRates | null> {
    try {
      return await this.rates.of(scopeOf(watch), minutes);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return null;
    }
  }

  private async forget(): Promise<number> {
    await this.alerts.forget(this.settings.ALERT_DAYS);
    return 0;
  }
}
