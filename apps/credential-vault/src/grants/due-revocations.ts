import { Sweeping } from '#libs/database';
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type VaultSettings } from '../settings.js';
import { RevocationRepository } from './revocation.repository.js';
import { RevocationService } from './revocation.service.js';

/** Runs due revocations. The rows say which are due, so a Redis that loses its jobs costs one round. */
@Injectable()
export class DueRevocations extends Sweeping {
  constructor(
    private readonly rows: RevocationRepository,
    private readonly revocations: RevocationService,
    @Inject(SETTINGS) private readonly settings: VaultSettings,
  ) {
    super();
    const everyMs = settings.REFRESH_SWEEP_MS;
    this.sweepEvery({ name: 'revocations', everyMs, batch: 50, sweep: (limit) => this.sweep(limit) });
  }

  private async sweep(limit: number): Promise<number> {
    await this.rows.purge(this.settings.REVOCATION_RECORD_DAYS);
    const due = await this.rows.work.overdue(0, limit);
    for (const { id } of due) await this.revocations.run(id);
    return due.length;
  }
}
