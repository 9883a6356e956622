import { scopeOf } from '#libs/contracts';
import { Sweeper, Sweeping } from '#libs/database';
import { Problem, type ServiceClient } from '#libs/service-kit';
import { type Policy, type Settlement, settlementOf, type Verdict, verdictOf } from '#libs/work';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { GATEWAY } from '../services.js';
import { type PortalSettings, SETTINGS } from '../settings.js';
import type { Alert } from './alert.entity.js';
import { AlertRepository } from './alert.repository.js';

/** How long the gateway may be away. */
const policy: Policy = {
  tries: 10_000,
  backoff: { baseMs: 1_000, capMs: 60_000 },
  jitter: 0.2,
  ageMs: 86_400_000,
  failuresAge: true,
};
/** While the gateway has it: when to ask what became of it. */
const pollMs = 10_000;
const batch = 20;

interface DeliverAnswer {
  delivery_id: string;
  state: 'queued' | 'sending' | 'delivered' | 'dead' | 'unknown' | 'expired';
  error: string | null;
  error_detail: string | null;
}

/** What an attempt came to, and what the row keeps of it. */
interface Sent {
  verdict: Verdict;
  delivery_id: string | null;
  error_detail: string | null;
}

/** Hands alerts to the gateway as deliveries, and asks until they have ended. */
@Injectable()
export class AlertSender extends Sweeping {
  private readonly logger = new Logger('alerts');
  private readonly sweeper: Sweeper;

  constructor(
    private readonly alerts: AlertRepository,
    @Inject(GATEWAY) private readonly gateway: Pick<ServiceClient, 'post'>,
    @Inject(SETTINGS) settings: PortalSettings,
  ) {
    super();
    const everyMs = settings.ALERT_SEND_MS;
    this.sweeper = this.sweepEvery({ name: 'alerts', everyMs, batch, sweep: (limit) => this.sweep(limit) });
  }

  /** Alerts were stored: they are sent at once. */
  soon(): void {
    this.sweeper.soon();
  }

  private async sweep(limit: number): Promise<number> {
    const claimed = await this.alerts.work.claimDue(limit);
    await Promise.all(
      claimed.map((alert) => this.alerts.work.run({ key: alert.id, claim: alert.claim }, () => this.send(alert))),
    );
    return claimed.length;
  }

  private async send(alert: Alert): Promise<void> {
    const { verdict, ...kept } = await this.deliver(alert);
    const settlement: Settlement = settlementOf(alert.id, alert, verdict, policy);
    if (settlement.state === 'dead') {
      this.logger.warn({ event: 'alert.failed', alert: alert.id, rule: alert.rule_id, reason: settlement.reason });
    }
    await this.alerts.settle(settlement, kept);
  }

  private async deliver(alert: Alert): Promise<Sent> {
    try {
      const answer = await this.gateway.post<DeliverAnswer>(
        '/internal/adapter-calls/deliver',
        scopeOf(alert),
        callOf(alert),
      );
      return { verdict: ofAnswer(answer), delivery_id: answer.delivery_id, error_detail: answer.error_detail };
    } catch (error) {
      const error_detail = error instanceof Problem ? error.detail : 'It could not be handed over.';
      return { verdict: ofError(error), delivery_id: null, error_detail };
    }
  }
}

/** The same for one alert in every attempt: the gateway refuses another message under its key. */
function callOf(alert: Alert): object {
  const { id, receiver, message, project_id, kind, rule_id, severity, code, cause, since, text } = alert;
  const facts = { id, kind, rule_id, severity, code, cause, text, since: since.toISOString(), project_id };
  return {
    app_id: receiver.app_id,
    channel_address: receiver.address,
    idempotency_key: id,
    message: {
      ...message,
      format: 'plain',
      // For programs: the Webhook app posts it as it is. To an adapter it would be its own.
      ...(receiver.kind === 'builtin' ? { reply_context: { alert: facts } } : {}),
    },
  };
}

function ofAnswer({ state, error }: DeliverAnswer): Verdict {
  if (state === 'delivered') return { do: 'done' };
  if (state === 'queued' || state === 'sending') {
    return { do: 'later', ms: pollMs, code: error ?? 'delivering', ages: false };
  }
  return { do: 'dead', code: error ?? state };
}

/** The gateway said no, or does not answer. */
function ofError(error: unknown): Verdict {
  if (!(error instanceof Problem)) return verdictOf(error);
  const refused = error.status >= 400 && error.status < 500 && ![408, 429].includes(error.status);
  return refused ? { do: 'dead', code: error.code } : { do: 'retry', code: error.code };
}
