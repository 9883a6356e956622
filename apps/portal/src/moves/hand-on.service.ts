import type { ProjectScope } from '#libs/contracts';
import { LastingTrouble, Sweeping } from '#libs/database';
import { createEgress, type Egress } from '#libs/egress';
import type { StoredHold } from '#libs/journal';
import { Metrics } from '#libs/service-kit';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type PortalSettings, SETTINGS } from '../settings.js';
import { HandedOn } from './handed-on.js';
import { MoveRepository } from './move.repository.js';

const everyMs = 1_000;
/** The other installation writes a batch in one commit. */
const timeoutMs = 10_000;
/** While the other installation does not take them. */
const longestPauseMs = 30_000;

/** Webhooks of one request. */
const batch = 200;

interface Pause {
  ms: number;
  untilMs: number;
}

/**
 * Hands on the webhooks of projects that have left, in the order in which they were received, until the other installation
 * has them. A batch that is sent twice is stored once.
 */
@Injectable()
export class HandOnService extends Sweeping implements OnApplicationShutdown {
  private readonly trouble = new LastingTrouble('moves', 'webhooks.not_handed_on');
  private readonly egress: Egress;
  private readonly pauses = new Map<string, Pause>();
  /** By project: since when its oldest webhook waits. */
  private readonly waitingSince = new Map<string, number>();

  constructor(
    private readonly moves: MoveRepository,
    private readonly handedOn: HandedOn,
    @Inject(SETTINGS) { GATEHOUSE_EGRESS_ALLOW: allow }: Pick<PortalSettings, 'GATEHOUSE_EGRESS_ALLOW'>,
    metrics: Metrics,
  ) {
    super();
    this.egress = createEgress({ allow });
    this.sweepEvery({ name: 'hand-on', everyMs, batch: 1, sweep: () => this.handOn() });
    metrics.gauge(
      'gatehouse_hand_on_oldest_seconds',
      'Age of the oldest webhook that the installation to which its project moved has not taken',
      () => this.oldestSeconds,
    );
  }

  async onApplicationShutdown(): Promise<void> {
    await this.egress.close();
  }

  /** @returns 1 when there may be more at once */
  async handOn(): Promise<number> {
    const left = await this.moves.left();
    for (const id of this.waitingSince.keys()) {
      if (!left.some(({ project_id: projectId }) => projectId === id)) this.waitingSince.delete(id);
    }
    // Together: one installation that does not answer must not keep others waiting.
    const more = await Promise.all(left.map((held) => this.handOnOf(held)));
    return more.includes(true) ? 1 : 0;
  }

  private async handOnOf(held: StoredHold): Promise<boolean> {
    const { project_id: id, peer } = held;
    if ((this.pauses.get(id)?.untilMs ?? 0) > performance.now()) return false;
    try {
      // One process at a time, so that the order stays. It keeps a connection meanwhile: not where nothing waits.
      const handed = (await this.isWaiting(held)) && (await this.moves.alone(id, () => this.nextBatch(held)));
      this.pauses.delete(id);
      this.trouble.works(`${peer}`);
      return handed === true;
    } catch (error) {
      const ms = Math.min(longestPauseMs, 2 * (this.pauses.get(id)?.ms ?? everyMs / 2));
      this.pauses.set(id, { ms, untilMs: performance.now() + ms });
      this.trouble.fails(`${peer}`, error);
      return false;
    }
  }

  private async isWaiting(held: StoredHold): Promise<boolean> {
    const [oldest] = await this.handedOn.next(scopeOf(held), 1);
    if (!oldest) this.waitingSince.delete(held.project_id);
    return oldest !== undefined;
  }

  private async nextBatch(held: StoredHold): Promise<boolean> {
    const { project_id: id, peer } = held;
    const scope = scopeOf(held);
    const receipts = await this.handedOn.next(scope, batch);
    const [oldest] = receipts;
    if (!oldest || peer === null) return false;
    this.waitingSince.set(id, Date.parse(oldest.received_at));
    const answer = await this.egress.fetch(`${peer}/api/v1/moves/${encodeURIComponent(id)}/receipts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await this.handedOn.token(scope)}`, 'content-type': 'application/json' },
      body: JSON.stringify({ receipts }),
      timeoutMs,
      maxRedirects: 0,
    });
    if (answer.status !== 204)
      throw new Error(`${peer} answered ${answer.status}: ${answer.body.toString().slice(0, 300)}`);
    await this.handedOn.end(
      scope,
      receipts.map((receipt) => receipt.id),
      peer,
    );
    return true;
  }

  private get oldestSeconds(): number {
    const since = [...this.waitingSince.values()];
    return since.length === 0 ? 0 : Math.max(0, (Date.now() - Math.min(...since)) / 1_000);
  }
}

const scopeOf = ({ organization_id, project_id }: StoredHold): ProjectScope => ({
  organizationId: organization_id,
  projectId: project_id,
});
