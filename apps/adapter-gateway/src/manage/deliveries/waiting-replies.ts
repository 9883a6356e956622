import { attentionAtMost, deliverySend, type ProjectScope } from '#libs/contracts';
import { Database } from '#libs/database';
import { JobClient } from '#libs/queue';
import { Metrics } from '#libs/service-kit';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { AdapterClient } from '../../path/adapters/adapter-client.js';
import { disabledCode, notReadyCode } from '../../path/adapters/adapter-readiness.js';
import { busyCode, circuitOpenCode } from '../../path/adapters/call-limits.js';
import { credentialWaitCodes, CredentialWaits } from '../../path/apps/credential-waits.js';
import { HealthPoller } from '../adapters/health-poller.js';
import { AppRepository } from '../apps/app.repository.js';
import { jobOf } from '../../path/deliveries/delivery.repository.js';
import { ManagedDeliveryRepository } from './managed-delivery.repository.js';
import { answerLostCode } from '../../path/deliveries/delivery.verdict.js';

/** Replies of one App that wait to be sent again, all for the same reason. */
export interface WaitingGroup {
  app_id: string;
  reason: string;
  count: number;
  since: Date;
  /** When the next of them is tried. */
  next_at: Date | null;
}

/**
 * Reads replies that wait to be sent again, by an index that has only those that have failed or waited before.
 * `gatehouse_deliveries_waiting{reason}` counts them, of all projects.
 */
@Injectable()
export class WaitingReplies {
  constructor(
    private readonly db: Database,
    metrics: Metrics,
  ) {
    metrics.rows(
      'gatehouse_deliveries_waiting',
      'Replies that wait to be sent again, by the reason of the last attempt',
      'reason',
      () => this.byReason(),
    );
  }

  /** @param longerMs only those that have waited longer than this */
  async ofProject({ organizationId, projectId }: ProjectScope, longerMs: number): Promise<WaitingGroup[]> {
    return (await this.db.query(
      `SELECT app_id, reason, count(*)::integer AS count, min(coalesce(blocked_since, open_since)) AS since,
              min(due_at) AS next_at
         FROM gateway.delivery
        WHERE project_id = $1 AND organization_id = $2 AND state = 'queued' AND reason IS NOT NULL
          AND coalesce(blocked_since, open_since) < now() - make_interval(secs => $3)
        GROUP BY app_id, reason ORDER BY app_id, reason LIMIT $4`,
      [projectId, organizationId, longerMs / 1_000, attentionAtMost],
    )) as WaitingGroup[];
  }

  private async byReason(): Promise<[string, number][]> {
    const rows = (await this.db.query(
      `SELECT reason, count(*)::integer AS count FROM gateway.delivery
        WHERE state = 'queued' AND reason IS NOT NULL GROUP BY reason`,
    )) as { reason: string; count: number }[];
    return rows.map(({ reason, count }) => [reason, count]);
  }
}

const batch = 500;
const notReadyCodes = [notReadyCode, disabledCode, answerLostCode];
const failedCodes = [circuitOpenCode, busyCode, 'timeout', 'provider_unavailable', answerLostCode];

/** Expedites deliveries as soon as their adapter takes calls again, or their credential can be used. */
@Injectable()
export class DeliveryResumption implements OnApplicationBootstrap {
  private readonly logger = new Logger('deliveries');

  constructor(
    private readonly deliveries: ManagedDeliveryRepository,
    private readonly apps: AppRepository,
    private readonly poller: HealthPoller,
    private readonly adapters: AdapterClient,
    private readonly waits: CredentialWaits,
    private readonly jobs: JobClient,
  ) {}

  onApplicationBootstrap(): void {
    this.poller.onReady(async (adapterId) => this.resume(idsOf(await this.apps.ofAdapter(adapterId)), notReadyCodes));
    this.waits.onRelease((appIds) => this.resume(appIds, [...credentialWaitCodes, answerLostCode]));
    this.adapters.onClosedCircuit((baseUrl) => void this.adapterRecovered(baseUrl));
  }

  private async adapterRecovered(baseUrl: string): Promise<void> {
    try {
      await this.resume(idsOf(await this.apps.ofAdapterAt(baseUrl)), failedCodes);
    } catch (error) {
      // They are retried later in any case.
      this.logger.warn({ event: 'delivery.not_resumed', error: String(error) });
    }
  }

  private async resume(appIds: string[], codes: string[]): Promise<void> {
    if (appIds.length === 0) return;
    for (;;) {
      const rows = await this.deliveries.resume(appIds, codes, batch);
      await Promise.all(rows.map((row) => this.jobs.enqueue(deliverySend, jobOf(row))));
      if (rows.length < batch) return;
    }
  }
}

const idsOf = (apps: { id: string }[]): string[] => apps.map(({ id }) => id);
