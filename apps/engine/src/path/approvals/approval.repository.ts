import { type AuditActor, AuditLog } from '#libs/audit';
import { newId, type ProjectScope, type TurnRunPayload } from '#libs/contracts';
import { storableJson } from '#libs/database';
import { leaveSql } from '#libs/work';
import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import type { AskedCall } from '../tools/turn-powers.js';
import type { Approval, ApprovalAsk, DecidedCall } from '../../entities/approval.entity.js';
import type { Claim } from '../../entities/turn.entity.js';

const contactPrefix = 'contact:';

/** On whose behalf calls ask, and who may decide. */
interface Asker {
  agentId: string;
  approvers: string[];
  startedBy: string[];
  /** People among the approvers may decide although they started the turn. */
  decideOwn: boolean;
}

export interface Decision {
  state: 'approved' | 'refused' | 'expired';
  by: string;
  note: string | null;
  /** The actor in the audit log; null: the deadline passed. */
  actor: AuditActor | null;
}

/** A decided approval, and its turn if no other approval keeps it waiting. */
export interface Decided {
  approval: Approval;
  resumed: TurnRunPayload | null;
}

// The turn's row is locked first, so that the second of two decisions on one turn sees the first.
const decideSql = `
  WITH decided AS (
    UPDATE engine.approval SET state = $2, decided_by = $3, note = $4, decided_at = now()
     WHERE id = $1 AND state = 'pending' AND (($2 = 'expired') = (expires_at <= now())) RETURNING *),
  resumed AS (
    UPDATE engine.turn t SET state = 'queued', due_at = now() FROM decided d
     WHERE t.id = d.turn_id AND t.state = 'waiting_approval' AND NOT EXISTS (
       SELECT 1 FROM engine.approval other
        WHERE other.turn_id = t.id AND other.state = 'pending' AND other.id <> d.id)
    RETURNING t.*)
  SELECT to_jsonb(decided) AS approval, (
         SELECT to_jsonb(r) FROM (SELECT id AS turn_id, organization_id, project_id, app_id, receipt_id, agent_id, claim AS claims
                  FROM resumed) AS r) AS resumed
    FROM decided`;

/** Calls that wait for people: what a turn asks, and what they decide. */
@Injectable()
export class ApprovalRepository {
  constructor(
    private readonly db: DataSource,
    private readonly audit: AuditLog,
  ) {}

  /** Gives the lease up until people have decided; the contacts among them are to be asked. @returns false when the lease was lost */
  async suspend(
    claim: Claim,
    asked: AskedCall[],
    { approvers, startedBy, agentId, decideOwn }: Asker,
    waitMs: number,
  ): Promise<boolean> {
    const calls = asked.map((call) => ({ id: newId('apr'), ...call }));
    const contacts = approvers.filter(
      (each) => each.startsWith(contactPrefix) && (decideOwn || !startedBy.includes(each)),
    );
    const asks = calls.flatMap(({ id }) =>
      contacts.map((contact) => ({
        id: newId('ask'),
        approval: id,
        contact: contact.slice(contactPrefix.length),
        token: randomBytes(18).toString('base64url'),
      })),
    );
    const rows = (await this.db.query(
      `WITH held AS (
         UPDATE engine.turn SET state = 'waiting_approval', reason = NULL, tries = greatest(0, tries - 1), ${leaveSql}
          WHERE id = $1 AND claim = $2 AND state = 'running' RETURNING *),
       asked AS (
         INSERT INTO engine.approval (id, organization_id, project_id, agent_id, turn_id, receipt_id, app_id, call_ref, tool,
                tool_pin, grade, arguments, approvers, requested_by, decide_own, reason, state, expires_at)
         SELECT c.id, held.organization_id, held.project_id, $4, held.id, held.receipt_id, held.app_id, c.ref, c.tool, c.pin, c.grade,
                c.args, $5, $7, $8, c.reason, 'pending', now() + $6 * interval '1 millisecond'
           FROM held CROSS JOIN jsonb_to_recordset($3::jsonb) AS c(id text, ref text, tool text, pin text, grade text,
                reason text, args jsonb)
         ON CONFLICT (turn_id, call_ref) DO NOTHING RETURNING id, organization_id, project_id),
       contacts AS (
         INSERT INTO engine.approval_ask (id, organization_id, project_id, approval_id, contact_id, token)
         SELECT a.id, asked.organization_id, asked.project_id, asked.id, a.contact, a.token
           FROM jsonb_to_recordset($9::jsonb) AS a(id text, approval text, contact text, token text)
           JOIN asked ON asked.id = a.approval)
       SELECT id FROM held`,
      [
        claim.turn_id,
        claim.claim,
        storableJson(calls),
        agentId,
        approvers,
        waitMs,
        startedBy,
        decideOwn,
        JSON.stringify(asks),
      ],
    )) as unknown[];
    return rows.length > 0;
  }

  /** Decisions on a turn's calls, by the call's reference. */
  async ofTurn(turnId: string): Promise<Map<string, DecidedCall>> {
    const sql = 'SELECT call_ref, state, tool_pin FROM engine.approval WHERE turn_id = $1';
    const rows = (await this.db.query(sql, [turnId])) as Pick<Approval, 'call_ref' | 'state' | 'tool_pin'>[];
    return new Map(rows.map((row) => [row.call_ref, { state: row.state, pin: row.tool_pin }]));
  }

  async find(owner: ProjectScope, id: string): Promise<Approval | null> {
    const sql = 'SELECT * FROM engine.approval WHERE id = $1 AND organization_id = $2 AND project_id = $3';
    const rows = (await this.db.query(sql, [id, owner.organizationId, owner.projectId])) as Approval[];
    return rows[0] ?? null;
  }

  /** Decides once. @returns null when it was already decided or has expired */
  async decide(id: string, { state, by, note, actor }: Decision): Promise<Decided | null> {
    return this.db.transaction(async (db) => {
      await db.query(
        'SELECT t.id FROM engine.turn t JOIN engine.approval a ON a.turn_id = t.id WHERE a.id = $1 FOR UPDATE OF t',
        [id],
      );
      const rows = (await db.query(decideSql, [id, state, by, note])) as Decided[];
      const [decided] = rows;
      if (decided && actor && state !== 'expired') {
        const { tool, turn_id, grade, arguments: args, agent_id } = decided.approval;
        // What an agent would remember can be deleted, which the log cannot.
        const call = { tool, grade, ...(tool === 'remember' ? {} : { arguments: args }), agent_id, turn_id };
        const [before, after] = [
          { state: 'pending', ...call },
          { state, note, ...call },
        ];
        await this.audit.append(db, actor, { action: `approval.${state}`, subject: id, before, after });
      }
      return decided ?? null;
    });
  }

  /** The ask with this token, if it was made for this contact. */
  async askOf(projectId: string, contactId: string, token: string): Promise<ApprovalAsk | null> {
    const rows = (await this.db.query(
      'SELECT * FROM engine.approval_ask WHERE token = $1 AND project_id = $2 AND contact_id = $3',
      [token, projectId, contactId],
    )) as ApprovalAsk[];
    return rows[0] ?? null;
  }
}
