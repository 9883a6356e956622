import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { ChannelRow } from '../../entities/rules.entity.js';

@Injectable()
export class ChannelRepository {
  constructor(@InjectRepository(ChannelRow) private readonly rows: Repository<ChannelRow>) {}

  list(organizationId: string, projectId: string): Promise<ChannelRow[]> {
    return this.rows.find({
      where: { organization_id: organizationId, project_id: projectId },
      order: { app_id: 'ASC' },
    });
  }

  find(organizationId: string, projectId: string, appId: string): Promise<ChannelRow | null> {
    return this.rows.findOneBy({ organization_id: organizationId, project_id: projectId, app_id: appId });
  }

  async save(row: ChannelRow): Promise<void> {
    await this.rows.upsert(row as object, ['app_id']);
  }

  /**
   * Changes the fields of `change` only, so that concurrent changes of different fields are both kept.
   * @param whole the channel if it was never set up
   */
  async change(whole: ChannelRow, change: Partial<ChannelRow>): Promise<void> {
    const { app_id, organization_id, project_id, updated_at } = whole;
    await this.rows.createQueryBuilder().insert().values(whole).orIgnore().execute();
    await this.rows.update({ app_id, organization_id, project_id }, { ...change, updated_at });
  }
}
