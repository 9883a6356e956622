import type { Principal } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { ChannelRow } from '../../entities/rules.entity.js';
import { type Restored, RuleHistory } from '../history/rule-history.js';

@Injectable()
export class ChannelRepository {
  constructor(
    @InjectRepository(ChannelRow) private readonly rows: Repository<ChannelRow>,
    private readonly history: RuleHistory,
  ) {}

  list(organizationId: string, projectId: string): Promise<ChannelRow[]> {
    return this.rows.find({
      where: { organization_id: organizationId, project_id: projectId },
      order: { app_id: 'ASC' },
    });
  }

  find(organizationId: string, projectId: string, appId: string): Promise<ChannelRow | null> {
    return this.rows.findOneBy({ organization_id: organizationId, project_id: projectId, app_id: appId });
  }

  /** @throws Problem 409 `version_changed` */
  checkRestore(by: Principal, appId: string, restored: Restored): Promise<void> {
    return this.history.checkRestore(by, { kind: 'channel', subject: appId }, restored);
  }

  /**
   * Changes the fields of `change` only, so that concurrent changes of different fields are both kept.
   * @param defaults the channel if it was never set up
   * @throws Problem 409 `version_changed`
   */
  change(
    by: Principal,
    defaults: Omit<ChannelRow, 'updated_at'>,
    change: Partial<ChannelRow>,
    restored: Restored | null,
  ): Promise<void> {
    const { app_id, organization_id, project_id } = defaults;
    return this.history.changed(by, { kind: 'channel', subject: app_id }, restored, async (tx) => {
      const where = { app_id, organization_id, project_id };
      const now = new Date();
      const before = (await tx.findOneBy(ChannelRow, where)) ?? { ...defaults, updated_at: now };
      const after = { ...before, ...change, updated_at: now };
      await tx.upsert(ChannelRow, after as object, ['app_id']);
      return [before, after];
    });
  }
}
