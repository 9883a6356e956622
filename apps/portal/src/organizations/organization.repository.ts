import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Organization } from './organization.entity.js';

@Injectable()
export class OrganizationRepository {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  find(id: string): Promise<Organization | null> {
    return this.db.manager.findOneBy(Organization, { id });
  }
}
