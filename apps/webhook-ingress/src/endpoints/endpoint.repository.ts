import type { Endpoint } from '#libs/contracts';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { EndpointRow } from './endpoint.entity.js';

@Injectable()
export class EndpointRepository {
  constructor(@InjectRepository(EndpointRow) private readonly rows: Repository<EndpointRow>) {}

  async all(): Promise<Endpoint[]> {
    return (await this.rows.find()).map((row) => row.definition);
  }

  async save(endpoints: Endpoint[]): Promise<void> {
    // In key order: two replicas that save the same endpoints must not deadlock.
    const sorted = [...endpoints].sort((a, b) => (a.app_id < b.app_id ? -1 : 1));
    await this.rows.upsert(
      sorted.map((endpoint) => ({
        app_id: endpoint.app_id,
        token_hash: endpoint.token_hash,
        version: endpoint.version,
        definition: endpoint as object,
      })),
      ['app_id'],
    );
  }
}
