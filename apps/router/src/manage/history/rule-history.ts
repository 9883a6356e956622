import { AuditLog } from '#libs/audit';
import { columnsOf } from '#libs/contracts';
import { Database, storableJson, type Transaction } from '#libs/database';
import { invalidCursor, notFound, type Page, pageOf, type PageQuery, type Principal, Problem } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { type RouterSettings, SETTINGS } from '../../env.js';
import { ruleFields, type RuleFields, type RuleKind, RuleVersion } from '../../entities/rule-version.entity.js';
import {
  differencesOf,
  type ListedVersion,
  type RuleDifferences,
  ruleVersionView,
  type RuleVersionView,
} from './rule-version.dto.js';

/** A workflow, a trigger or a channel. */
export interface Rule<Kind extends RuleKind = RuleKind> {
  kind: Kind;
  /** As in the column of that name. */
  subject: string;
}

/** The earlier version that a change brings back. */
export interface Restored {
  from: number;
  /** The version that it replaces; absent: any. */
  insteadOf: number | undefined;
}

type NewVersion = Pick<RuleVersion, 'version' | 'fields' | 'made_by' | 'restored_from'>;

/** The versions of workflows, triggers and channels, each written down in the transaction of its change. */
@Injectable()
export class RuleHistory {
  constructor(
    private readonly db: Database,
    private readonly audit: AuditLog,
    @Inject(SETTINGS) private readonly settings: RouterSettings,
  ) {}

  /** Makes a rule, with its first version. @param insert returns its subject and its row */
  created<Row extends object>(
    by: Principal,
    kind: 'workflow' | 'trigger',
    insert: (tx: Transaction) => Promise<readonly [subject: string, row: Row]>,
  ): Promise<Row> {
    return this.db.transaction(async (tx) => {
      const [subject, row] = await insert(tx);
      const rule = { kind, subject };
      const fields = fieldsOf(rule, row);
      await this.add(tx, by, rule, { version: 1, fields, made_by: by.subject, restored_from: null });
      await this.log(tx, by, rule, `${kind}.created`, [null, fields]);
      return row;
    });
  }

  /**
   * Changes a rule, one change of it at a time. A change that changes nothing makes no version.
   * @param work makes the change; it returns the rule as it was and as it is
   * @throws Problem 409 `version_changed`
   */
  changed(
    by: Principal,
    rule: Rule,
    restored: Restored | null,
    work: (tx: Transaction) => Promise<readonly [before: object, after: object]>,
  ): Promise<void> {
    return this.locked(by, rule, async (tx) => {
      const newest = await this.newest(tx, by, rule);
      requireInForce(newest, restored);
      const [before, after] = (await work(tx)).map((row) => fieldsOf(rule, row)) as [RuleFields, RuleFields];
      const differences = differencesOf(rule.kind, before, after);
      if (differences.length === 0) return;
      let version = newest?.version ?? 0;
      // The defaults, or what a process of the previous release changed.
      if (!newest || differencesOf(rule.kind, newest.fields, before).length > 0) {
        version += 1;
        await this.add(tx, by, rule, { version, fields: before, made_by: null, restored_from: null });
      }
      const made = { fields: after, made_by: by.subject, restored_from: restored?.from ?? null };
      await this.add(tx, by, rule, { version: version + 1, ...made });
      const side = (of: 'before' | 'after') => Object.fromEntries(differences.map((one) => [one.field, one[of]]));
      await this.log(tx, by, rule, `${rule.kind}.changed`, [side('before'), side('after')]);
    });
  }

  /**
   * For a restore that has an effect elsewhere before `changed`, which looks again.
   * @throws Problem 409 `version_changed`
   */
  async checkRestore(by: Principal, rule: Rule, restored: Restored): Promise<void> {
    requireInForce(await this.newest(this.db.manager, by, rule), restored);
  }

  /** Deletes a rule with its versions. @param remove returns the rule as it was; null: there is none */
  removed(by: Principal, rule: Rule<'trigger'>, remove: (tx: Transaction) => Promise<object | null>): Promise<boolean> {
    return this.locked(by, rule, async (tx) => {
      const row = await remove(tx);
      if (!row) return false;
      await tx.delete(RuleVersion, { project_id: by.projectId, ...rule });
      await this.log(tx, by, rule, `${rule.kind}.deleted`, [fieldsOf(rule, row), null]);
      return true;
    });
  }

  /** One page, newest first. @throws Problem 400 `invalid_cursor` for the cursor of another list */
  async list({ projectId }: Principal, rule: Rule, { limit, cursor }: PageQuery): Promise<Page<RuleVersionView>> {
    if (cursor !== undefined && !/^\d{1,9}$/.test(cursor)) throw invalidCursor();
    const rows = (await this.db.query(
      `SELECT v.*, b.fields AS before,
              (SELECT max(version) FROM router.rule_version WHERE (project_id, kind, subject) = ($1, $2, $3)) AS newest
         FROM router.rule_version v
         LEFT JOIN router.rule_version b
                ON (b.project_id, b.kind, b.subject, b.version) = (v.project_id, v.kind, v.subject, v.version - 1)
        WHERE (v.project_id, v.kind, v.subject) = ($1, $2, $3) AND ($4::integer IS NULL OR v.version < $4)
        ORDER BY v.version DESC LIMIT $5`,
      [projectId, rule.kind, rule.subject, cursor ?? null, limit + 1],
    )) as ListedVersion[];
    const page = pageOf(rows, limit, ({ version }) => String(version));
    return { ...page, data: page.data.map((row) => ruleVersionView(row)) };
  }

  /** @throws Problem 404 `version_not_found` */
  async fields({ projectId }: Principal, rule: Rule, version: number): Promise<RuleFields> {
    const row = await this.db.manager.findOneBy(RuleVersion, { project_id: projectId, ...rule, version });
    if (!row) throw notFound('version', version);
    return row.fields;
  }

  /** @param comparedWith absent: the version in force @throws Problem 404 `version_not_found` */
  async differences(caller: Principal, rule: Rule, version: number, comparedWith?: number): Promise<RuleDifferences> {
    const other = comparedWith ?? (await this.newest(this.db.manager, caller, rule))?.version ?? version;
    const [before, after] = await Promise.all([this.fields(caller, rule, other), this.fields(caller, rule, version)]);
    return { version, compared_with: other, differences: differencesOf(rule.kind, before, after) };
  }

  private locked<Done>(by: Principal, rule: Rule, work: (tx: Transaction) => Promise<Done>): Promise<Done> {
    return this.db.transaction(async (tx) => {
      const name = `router.rule ${by.projectId} ${rule.kind} ${rule.subject}`;
      await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [name]);
      return work(tx);
    });
  }

  private newest(tx: Transaction, { projectId }: Principal, rule: Rule): Promise<RuleVersion | null> {
    return tx.findOne(RuleVersion, { where: { project_id: projectId, ...rule }, order: { version: 'DESC' } });
  }

  private async add(tx: Transaction, by: Principal, rule: Rule, made: NewVersion): Promise<void> {
    await tx.insert(RuleVersion, { ...columnsOf(by), ...rule, ...made, created_at: new Date() } as object);
    await tx.query(
      'DELETE FROM router.rule_version WHERE (project_id, kind, subject) = ($1, $2, $3) AND version <= $4',
      [by.projectId, rule.kind, rule.subject, made.version - this.settings.RULE_VERSIONS],
    );
  }

  private log(
    tx: Transaction,
    by: Principal,
    { subject }: Rule,
    action: Parameters<AuditLog['append']>[2]['action'],
    [before, after]: [RuleFields | null, RuleFields | null],
  ): Promise<void> {
    return this.audit.append(tx, by, { action, subject, before, after });
  }
}

/** @throws Problem 409 `version_changed` */
function requireInForce(newest: RuleVersion | null, restored: Restored | null): void {
  if (restored?.insteadOf === undefined || restored.insteadOf === newest?.version) return;
  const detail = `Version ${newest?.version} is in force by now, not ${restored.insteadOf}: look at what changed, then restore again.`;
  throw new Problem(409, 'version_changed', detail);
}

/** Plain values, as they are read back. */
function fieldsOf({ kind }: Rule, row: object): RuleFields {
  const values = row as RuleFields;
  const fields = Object.fromEntries(ruleFields[kind].map((field) => [field, values[field] ?? null]));
  return JSON.parse(storableJson(fields)) as RuleFields;
}
