import { AuditLog } from '#libs/audit';
import { columnsOf, newId, type ProjectScope } from '#libs/contracts';
import type { Principal } from '#libs/service-kit';
import { endSql } from '#libs/work';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, MoreThan } from 'typeorm';
import { AlertRule } from './alert-rule.entity.js';

export type RuleFields = Omit<AlertRule, 'id' | 'organization_id' | 'project_id' | 'created_at' | 'updated_at'>;

@Injectable()
export class AlertRuleRepository {
  constructor(
    private readonly db: DataSource,
    private readonly audit: AuditLog,
  ) {}

  find({ organizationId, projectId }: ProjectScope, id: string): Promise<AlertRule | null> {
    return this.db.manager.findOneBy(AlertRule, { id, organization_id: organizationId, project_id: projectId });
  }

  /** Oldest first. */
  list({ organizationId, projectId }: ProjectScope, limit: number, cursor: string | undefined): Promise<AlertRule[]> {
    return this.db.manager.find(AlertRule, {
      where: {
        organization_id: organizationId,
        project_id: projectId,
        ...(cursor === undefined ? {} : { id: MoreThan(cursor) }),
      },
      order: { id: 'ASC' },
      take: limit,
    });
  }

  count({ organizationId, projectId }: ProjectScope): Promise<number> {
    return this.db.manager.countBy(AlertRule, { organization_id: organizationId, project_id: projectId });
  }

  /** From now on somebody looks at the project. */
  create(by: Principal, fields: RuleFields): Promise<AlertRule> {
    return this.db.transaction(async (tx) => {
      const rule = tx.create(AlertRule, { id: newId('alr'), ...columnsOf(by), ...fields });
      const saved = await tx.save(AlertRule, rule, { reload: true });
      await tx.query(
        `INSERT INTO portal.alert_watch AS w (project_id, organization_id) VALUES ($1, $2)
         ON CONFLICT (project_id) DO UPDATE SET due_at = least(w.due_at, now())`,
        [by.projectId, by.organizationId],
      );
      await this.audit.append(tx, by, { action: 'alert_rule.created', subject: rule.id, before: null, after: fields });
      return saved;
    });
  }

  /** @returns null when there is no such rule */
  change(by: Principal, id: string, fields: Partial<RuleFields>): Promise<AlertRule | null> {
    return this.db.transaction(async (tx) => {
      const rule = await lock(tx, by, id);
      if (!rule) return null;
      const names = Object.keys(fields) as (keyof RuleFields)[];
      const before = Object.fromEntries(names.map((name) => [name, rule[name]]));
      await this.audit.append(tx, by, { action: 'alert_rule.changed', subject: id, before, after: fields });
      return tx.save(AlertRule, { ...rule, ...fields, updated_at: new Date() });
    });
  }

  /** What it would still have sent is not sent. @returns whether there was such a rule */
  delete(by: Principal, id: string): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      const rule = await lock(tx, by, id);
      if (!rule) return false;
      await tx.delete(AlertRule, { id });
      await tx.query(
        `UPDATE portal.alert SET ${endSql('dead')}, reason = 'rule_deleted' WHERE rule_id = $1 AND state = 'queued'`,
        [id],
      );
      const { id: _id, ...before } = rule;
      await this.audit.append(tx, by, { action: 'alert_rule.deleted', subject: id, before, after: null });
      return true;
    });
  }
}

function lock(tx: EntityManager, { organizationId, projectId }: ProjectScope, id: string): Promise<AlertRule | null> {
  const where = { id, organization_id: organizationId, project_id: projectId };
  return tx.findOne(AlertRule, { where, lock: { mode: 'pessimistic_write' } });
}
