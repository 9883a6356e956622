import { columnsOf, newId, type ProjectScope } from '#libs/contracts';
import { keyset } from '#libs/database';
import { type Settlement, Work } from '#libs/work';
import { Inject, Injectable } from '@nestjs/common';
import { hash } from 'node:crypto';
import { DataSource, type EntityManager } from 'typeorm';
import { Project } from '../projects/project.entity.js';
import { type PortalSettings, SETTINGS } from '../settings.js';
import type { AlertRule, Receiver } from './alert-rule.entity.js';
import { messageOf } from './alert-words.js';
import { Alert, type AlertKind } from './alert.entity.js';
import type { CauseState } from './next-cause.js';

/** Longer than a call of the gateway takes. */
const leaseMs = 30_000;
const own = { delivery_id: 'text', error_detail: 'text' };

interface Draft {
  rule: AlertRule;
  kind: AlertKind;
  about: Pick<CauseState, 'cause' | 'code' | 'severity' | 'text' | 'what_to_do' | 'opened_at' | 'announced'>;
  receivers: Receiver[];
}

@Injectable()
export class AlertRepository {
  readonly work: Work<Alert>;

  constructor(
    private readonly db: DataSource,
    @Inject(SETTINGS) private readonly settings: PortalSettings,
  ) {
    this.work = new Work(db, { table: 'portal.alert', leaseMs, owner: () => null });
  }

  /** Stores an alert for each receiver, unless it is there. @returns those that are new */
  async add(tx: EntityManager, { rule, kind, about, receivers }: Draft): Promise<Alert[]> {
    const { cause, code, severity, text, what_to_do, opened_at: since, announced } = about;
    const created_at = new Date();
    const project = await tx.findOneBy(Project, { id: rule.project_id, organization_id: rule.organization_id });
    const place = { project: project?.name ?? rule.project_id, link: this.linkOf(rule.project_id) };
    const message = messageOf({ kind, text, what_to_do, since, created_at, rule: rule.name }, place);
    const rows = receivers.map((receiver) =>
      tx.create(Alert, {
        id: newId('alt'),
        organization_id: rule.organization_id,
        project_id: rule.project_id,
        rule_id: rule.id,
        rule_name: rule.name,
        once: hash(
          'sha256',
          [rule.id, cause, since.toISOString(), kind, announced, receiver.app_id, receiver.address].join('\n'),
        ),
        kind,
        cause,
        code,
        severity,
        text,
        what_to_do,
        since,
        receiver,
        message,
        created_at,
      }),
    );
    const { raw } = await tx
      .createQueryBuilder()
      .insert()
      .into(Alert)
      .values(rows)
      .orIgnore()
      .returning('id')
      .execute();
    const made = new Set((raw as { id: string }[]).map(({ id }) => id));
    return rows.filter(({ id }) => made.has(id));
  }

  /** Alerts of a test are stored like all others. */
  test(draft: Draft): Promise<Alert[]> {
    return this.db.transaction(async (tx) => {
      const rows = await this.add(tx, draft);
      return tx.findBy(
        Alert,
        rows.map(({ id }) => ({ id })),
      );
    });
  }

  async settle(
    settlement: Settlement,
    outcome: { delivery_id: string | null; error_detail: string | null },
  ): Promise<void> {
    await this.db.query(this.work.settleSql('$1', own, ['delivery_id']), [
      this.work.settled([{ ...settlement, ...outcome }]),
    ]);
  }

  /** At most `limit`, after `cursor`. */
  async list(scope: ProjectScope, { ruleId, state, cursor, order, limit }: ListOfAlerts): Promise<Alert[]> {
    const { after, by } = keyset('id', '$3', order);
    const { organization_id: organizationId, project_id: projectId } = columnsOf(scope);
    return (await this.db.query(
      `SELECT * FROM portal.alert
        WHERE organization_id = $1 AND project_id = $2 AND ${after}
          AND ($4::text IS NULL OR rule_id = $4) AND ($5::text[] IS NULL OR state = ANY($5))
        ORDER BY ${by} LIMIT $6`,
      [organizationId, projectId, cursor, ruleId, state && statesOf[state], limit],
    )) as Alert[];
  }

  /** Home, which lists what needs attention. */
  private linkOf(projectId: string): string {
    return `${this.settings.PUBLIC_URL.replace(/\/$/, '')}/p/${projectId}`;
  }

  async forget(days: number): Promise<void> {
    await this.db.query('DELETE FROM portal.alert WHERE ended_at < now() - make_interval(days => $1)', [days]);
    await this.db.query('DELETE FROM portal.attention_mute WHERE muted_until < now()');
  }
}

const statesOf = { waiting: ['queued', 'running'], sent: ['done'], failed: ['dead'] };

export interface ListOfAlerts {
  ruleId: string | null;
  state: keyof typeof statesOf | null;
  cursor: string | null;
  order: 'asc' | 'desc';
  limit: number;
}
