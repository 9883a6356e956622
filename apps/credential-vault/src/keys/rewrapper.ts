import { Metrics } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Counter } from 'prom-client';
import { DoesNotOpen } from '../sealing/aead.js';
import { dekPlace } from '../sealing/associated-data.js';
import { KEY_BACKEND, type KeyBackend } from '../sealing/kek-ring.js';
import { sealedTables } from '../sealing/sealed-tables.js';
import { RewrapRepository, type WrappedDek } from './rewrap.repository.js';

export interface RewrapProgress {
  rewrapped: number;
  /** Credentials whose data key does not open with the key that it names. They stay unchanged. */
  failed: string[];
  /** False when the time ran out before all tables were done: call again. */
  finished: boolean;
}

/**
 * Wraps every data key under the primary KEK. The rows say what is left to do, so it may stop anywhere, run in several
 * processes at once, and run again.
 */
@Injectable()
export class Rewrapper {
  private readonly logger = new Logger('keys');
  private readonly rewrapped: Counter;

  constructor(
    @Inject(KEY_BACKEND) private readonly keys: KeyBackend,
    private readonly repository: RewrapRepository,
    metrics: Metrics,
  ) {
    this.rewrapped = new Counter({
      name: 'gatehouse_vault_rewrapped_total',
      help: 'Data keys that were wrapped under the primary KEK',
      registers: [metrics.registry],
    });
  }

  /**
   * @param batch rows per transaction
   * @param budgetMs after this time, no new batch begins
   */
  async run(batch: number, budgetMs: number): Promise<RewrapProgress> {
    const until = Date.now() + budgetMs;
    const progress: RewrapProgress = { rewrapped: 0, failed: [], finished: true };
    for (const table of sealedTables) {
      for (let cursor: string | null = ''; cursor !== null;) {
        if (Date.now() >= until) return { ...progress, finished: false };
        const done = await this.repository.batch(table, this.keys.primary, cursor, batch, (row) => this.rewrap(row));
        cursor = done.cursor;
        progress.rewrapped += done.rewrapped;
        progress.failed.push(...done.failed);
        this.rewrapped.inc(done.rewrapped);
      }
    }
    return progress;
  }

  private async rewrap(row: WrappedDek): Promise<Buffer | null> {
    const to = this.keys.primary;
    try {
      const dek = await this.keys.unwrap(row.kid, row.wrappedDek, dekPlace(row.kid, row));
      const wrapped = await this.keys.wrap(to, dek, dekPlace(to, row));
      dek.fill(0);
      return wrapped;
    } catch (error) {
      if (!(error instanceof DoesNotOpen)) throw error;
      this.logger.error({ event: 'key.does_not_open', credential_id: row.credentialId, kid: row.kid });
      return null;
    }
  }
}
