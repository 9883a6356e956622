import { Sweeping } from '#libs/database';
import type { ServiceClient } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { GATEWAY, type IngressSettings, SETTINGS } from '../../env.js';
import { OutageRepository } from './outage.repository.js';

const beatEveryMs = 2_000;
const announceEveryMs = 2_000;
const oldEveryMs = 3_600_000;
const batch = 500;
/** Outages are of no project. */
const everywhere = { organizationId: '', projectId: '' };

type OutageSettings = Pick<IngressSettings, 'OUTAGE_GAP_MS' | 'RETENTION_DAYS'>;

/** Notices when this door was closed, and informs the gateway until it has stored that. */
@Injectable()
export class OutageService extends Sweeping {
  private readonly logger = new Logger('outages');

  constructor(
    private readonly outages: OutageRepository,
    @Inject(GATEWAY) private readonly gateway: Pick<ServiceClient, 'post'>,
    @Inject(SETTINGS) private readonly settings: OutageSettings,
  ) {
    super();
    this.sweepEvery({ name: 'door', everyMs: beatEveryMs, batch: 1, sweep: () => this.beat() });
    const announce = (limit: number): Promise<number> => this.announce(limit);
    this.sweepEvery({ name: 'outages', everyMs: announceEveryMs, batch, sweep: announce });
    const old = async (): Promise<number> => {
      await this.outages.deleteOld(settings.RETENTION_DAYS);
      return 0;
    };
    this.sweepEvery({ name: 'old-outages', everyMs: oldEveryMs, batch: 1, sweep: old });
  }

  private async beat(): Promise<number> {
    if (await this.outages.beat(this.settings.OUTAGE_GAP_MS)) this.logger.warn({ event: 'door.was_closed' });
    return 0;
  }

  private async announce(limit: number): Promise<number> {
    const rows = await this.outages.unannounced(limit);
    if (rows.length === 0) return 0;
    const outages = rows.map(({ app_id, since, until }) => ({ app_id, since, until }));
    await this.gateway.post('/internal/missed', everywhere, { outages });
    await this.outages.announced(rows.map(({ id }) => id));
    return rows.length;
  }
}
