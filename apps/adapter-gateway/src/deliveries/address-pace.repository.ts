import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThan, Repository } from 'typeorm';
import { AddressPaceRow } from './address-pace.entity.js';

@Injectable()
export class AddressPaceRepository {
  constructor(@InjectRepository(AddressPaceRow) private readonly rows: Repository<AddressPaceRow>) {}

  /**
   * Takes the next slot of an address if it is due. It holds for all replicas.
   * @param everyMs between two messages
   * @returns 0, or the ms until the slot is due
   */
  async take(appId: string, addressHash: string, everyMs: number): Promise<number> {
    const taken = (await this.rows.query(
      `INSERT INTO gateway.address_pace AS p (app_id, address_hash, next_at)
       VALUES ($1, $2, now() + make_interval(secs => $3))
       ON CONFLICT (app_id, address_hash) DO UPDATE SET next_at = now() + make_interval(secs => $3)
        WHERE p.next_at <= now() RETURNING app_id`,
      [appId, addressHash, everyMs / 1_000],
    )) as unknown[];
    if (taken.length > 0) return 0;
    const row = await this.rows.findOneBy({ app_id: appId, address_hash: addressHash });
    return Math.max(1, (row?.next_at.getTime() ?? 0) - Date.now());
  }

  async forgetOlderThan(ageMs: number): Promise<void> {
    await this.rows.delete({ next_at: LessThan(new Date(Date.now() - ageMs)) });
  }
}
