import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { GrantEvent } from './grant-event.entity.js';

@Injectable()
export class GrantEventRepository {
  constructor(private readonly db: DataSource) {}

  /** Newest first. */
  latest(credentialId: string, limit: number): Promise<GrantEvent[]> {
    return this.db
      .getRepository(GrantEvent)
      .find({ where: { credential_id: credentialId }, order: { id: 'DESC' }, take: limit });
  }
}
