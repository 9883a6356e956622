import { columnsOf, type ProjectScope } from '#libs/contracts';
import { Work } from '#libs/work';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Project } from '../projects/project.entity.js';
import { AlertCause } from './alert-cause.entity.js';
import { lookOf, type Sight, waysFor } from './alert-look.js';
import { AlertRule } from './alert-rule.entity.js';
import { AlertWatch } from './alert-watch.entity.js';
import { AlertRepository } from './alert.repository.js';

/** Longer than all services may take to report. */
const leaseMs = 30_000;

/** What each rule sees: what needs attention, and its own rate if it is a rule on one. */
export type Sights = (rule: AlertRule) => Sight;

@Injectable()
export class AlertWatchRepository {
  readonly work: Work<AlertWatch>;

  constructor(
    private readonly db: DataSource,
    private readonly alerts: AlertRepository,
  ) {
    this.work = new Work(db, { table: 'portal.alert_watch', key: 'project_id', leaseMs, owner: () => null });
  }

  /** Its rules; null: the project is closed, and no alert is made of it. */
  async rules(scope: ProjectScope): Promise<AlertRule[] | null> {
    const { organization_id, project_id } = columnsOf(scope);
    const project = await this.db.manager.findOneBy(Project, { id: project_id, organization_id });
    if (!project || project.closed_at !== null) return null;
    return this.db.manager.find(AlertRule, { where: { organization_id, project_id }, order: { id: 'ASC' } });
  }

  /**
   * Stores what the rules see and what they say of it, and when somebody looks again: all of it, or nothing if another
   * claim has the watch.
   * @returns how many alerts are new
   */
  record(
    { project_id, organization_id, claim }: AlertWatch,
    sights: Sights | null,
    nextLookMs: number,
  ): Promise<number> {
    return this.db.transaction(async (tx) => {
      const settled = this.work.settled([
        { key: project_id, claim, state: 'queued', due_in_ms: nextLookMs, tries: 0, blocked_since: null, reason: null },
      ]);
      const [held] = (await tx.query(`WITH s AS (${this.work.settleSql('$1')}) SELECT 1 FROM s`, [
        settled,
      ])) as unknown[];
      if (!held) return 0;
      if (sights === null) {
        await this.expediteNewRules(tx, project_id);
        return 0;
      }
      // As they are now: whoever changes a rule waits for this look, or is seen by it.
      const rules = await tx.find(AlertRule, {
        where: { organization_id, project_id },
        order: { id: 'ASC' },
        lock: { mode: 'pessimistic_read' },
      });
      let made = 0;
      for (const rule of rules) {
        const before = await tx.find(AlertCause, { where: { rule_id: rule.id }, order: { cause: 'ASC' } });
        const look = lookOf(rule, before, sights(rule));
        for (const { news, cause } of look.say) {
          const draft = { rule, kind: news, about: cause, receivers: waysFor(rule, cause) };
          made += (await this.alerts.add(tx, draft)).length;
        }
        for (const cause of look.keep)
          await tx.upsert(AlertCause, { ...cause, rule_id: rule.id }, ['rule_id', 'cause']);
        for (const cause of look.end) await tx.delete(AlertCause, { rule_id: rule.id, cause });
      }
      return made;
    });
  }

  /** A rule that was made while nobody saw one: its project is looked at now. Who makes one waits for this, or is seen. */
  private async expediteNewRules(tx: EntityManager, projectId: string): Promise<void> {
    await tx.query(
      `UPDATE portal.alert_watch SET due_at = now() WHERE project_id = $1 AND EXISTS (
         SELECT FROM portal.alert_rule r JOIN portal.project p ON p.id = r.project_id
          WHERE r.project_id = $1 AND p.closed_at IS NULL)`,
      [projectId],
    );
  }
}
