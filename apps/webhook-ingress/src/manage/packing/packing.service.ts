import { Sweeping } from '#libs/database';
import { Inject, Injectable } from '@nestjs/common';
import { type IngressSettings, SETTINGS } from '../../env.js';
import { PackingRepository } from './packing.repository.js';

const sweepEveryMs = 10_000;
/**
 * Few, so that versions of earlier batches are dead when a page of an index is full: Postgres then drops them before it
 * splits the page. Batches of 200 left indexes of 316 bytes a receipt, these 279.
 */
const sweepBatch = 20;

/** Packs receipts beside the path, when nearly all have ended: an answer does not wait for it. */
@Injectable()
export class PackingService extends Sweeping {
  constructor(
    receipts: PackingRepository,
    @Inject(SETTINGS) { RECEIPT_PACK_AFTER_MS: ageMs }: Pick<IngressSettings, 'RECEIPT_PACK_AFTER_MS'>,
  ) {
    super();
    if (ageMs === 0) return;
    const sweep = (limit: number): Promise<number> => receipts.packOlder(ageMs, limit);
    this.sweepEvery({ name: 'packing', everyMs: Math.min(sweepEveryMs, ageMs), batch: sweepBatch, sweep });
  }
}
