import { callWaitsCode, columnsOf, derivedId, type McpAnswers, type ProjectScope } from '#libs/contracts';
import { storableJson } from '#libs/database';
import { LeaseLost, notHeldSql } from '#libs/work';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { OpenCall, type OpenCallState } from '../entities/open-call.entity.js';
import type { Claim, Turn } from '../entities/turn.entity.js';
import { heldSql } from '../path/steps/step.repository.js';

/** What is stored when a server asks, or makes a task of a call. */
export type KeptCall = Omit<OpenCall, 'created_at' | 'ended_at' | 'answers'>;

/** What was asked and answered is nobody's any more once nobody waits for a call. */
const emptied = `questions = NULL, answers = NULL, request_state = NULL`;

/** Calls that wait. What a turn writes, it writes under its claim: one that was taken over changes nothing. */
@Injectable()
export class OpenCallRepository {
  constructor(private readonly db: DataSource) {}

  find(id: string): Promise<OpenCall | null> {
    return this.db.manager.findOneBy(OpenCall, { id });
  }

  byToken(token: string): Promise<OpenCall | null> {
    return this.db.manager.findOneBy(OpenCall, { token });
  }

  /** References of the calls of a turn that wait. */
  async refsOf(turnId: string): Promise<string[]> {
    const rows = (await this.db.query('SELECT call_ref FROM engine.open_call WHERE turn_id = $1 AND ended_at IS NULL', [
      turnId,
    ])) as Pick<OpenCall, 'call_ref'>[];
    return rows.map(({ call_ref: ref }) => ref);
  }

  /** Newest first. @param limit one more than are shown */
  async list(
    owner: ProjectScope,
    { serverId, cursor, limit }: { serverId: string | null; cursor: string | null; limit: number },
  ): Promise<OpenCall[]> {
    const { organization_id, project_id } = columnsOf(owner);
    return (await this.db.query(
      `SELECT * FROM engine.open_call WHERE organization_id = $1 AND project_id = $2 AND ended_at IS NULL
          AND ($3::text IS NULL OR server_id = $3) AND ($4::text IS NULL OR id < $4) ORDER BY id DESC LIMIT $5`,
      [organization_id, project_id, serverId, cursor, limit],
    )) as OpenCall[];
  }

  /** Stores what a call waits for, in place of what it waited for before. @throws LeaseLost */
  async keep({ turn_id: turnId, claim }: Claim, call: KeptCall): Promise<void> {
    const row = { ...call, answers: null, ended_at: null };
    await this.db.transaction(async (tx) => {
      const held = (await tx.query(`WITH ${heldSql} SELECT id FROM held`, [turnId, claim])) as unknown[];
      if (held.length === 0) throw new LeaseLost('the lease was lost');
      await tx.upsert(OpenCall, row as object, ['id']);
    });
  }

  /** The user was asked, and may have answered already. @throws LeaseLost */
  async asked(claim: Claim, id: string): Promise<void> {
    await this.write(claim, id, `state = 'asked'`, ['asking']);
  }

  /** No answer is taken any more. @returns false: one has come in time. @throws LeaseLost */
  close(claim: Claim, id: string): Promise<boolean> {
    // By the token, since an answer that waits for this row has looked at the clock before.
    return this.write(claim, id, `token = NULL, expires_at = least(o.expires_at, now())`, ['asking', 'asked']);
  }

  /** The answers of the user, once. @returns null when there is nothing to answer any more, or while its project moves */
  async answer(token: string, answers: McpAnswers): Promise<OpenCall | null> {
    const [rows] = (await this.db.query(
      `UPDATE engine.open_call SET state = 'answered', answers = $2::jsonb, poll_ms = NULL
        WHERE token = $1 AND state IN ('asking', 'asked') AND expires_at > now() AND ${notHeldSql('project_id')} RETURNING *`,
      [token, storableJson(answers)],
    )) as [OpenCall[], number];
    return rows[0] ?? null;
  }

  /**
   * The answers go to the server now. From here on nobody knows what it has done, until it has answered.
   * @returns false: the call has ended, and nothing is to be sent. @throws LeaseLost
   */
  sending(claim: Claim, id: string): Promise<boolean> {
    return this.write(claim, id, `state = 'sending'`, ['answered', 'sending']);
  }

  /** It could not go on, and nothing has happened by that. @param pauseMs until the next try. @throws LeaseLost */
  async notSent(claim: Claim, id: string, pauseMs: number): Promise<void> {
    const set = `state = CASE o.state WHEN 'sending' THEN 'answered' ELSE o.state END, poll_ms = $5`;
    await this.write(claim, id, set, ['sending', 'answered', 'task'], [pauseMs]);
  }

  /**
   * A waiting turn is due.
   * @param onlyIfAnswered only if there are answers that no try has failed with: those wait for the next one
   * @returns it; null when it does not wait
   */
  async wake(turnId: string, onlyIfAnswered: boolean): Promise<Turn | null> {
    const [rows] = (await this.db.query(
      `UPDATE engine.turn t SET due_at = now()
        WHERE id = $1 AND state = 'queued' AND reason = $2 AND due_at > now() AND (NOT $3::boolean OR EXISTS (
              SELECT FROM engine.open_call o WHERE o.turn_id = t.id AND o.state = 'answered' AND o.answers IS NOT NULL
                 AND o.poll_ms IS NULL)) RETURNING *`,
      [turnId, callWaitsCode, onlyIfAnswered],
    )) as [Turn[], number];
    return rows[0] ?? null;
  }

  /**
   * Calls that wait no longer: their turn has ended, or their result is stored. A call that was repeated has a row for
   * each time, and the newest counts: those before it were interrupted.
   * @param after the id of the last one that was looked at
   */
  async over(limit: number, after = ''): Promise<OpenCall[]> {
    return (await this.db.query(
      `SELECT o.* FROM engine.open_call o LEFT JOIN engine.turn t ON t.id = o.turn_id
        WHERE o.ended_at IS NULL AND o.id > $2 AND (t.id IS NULL OR t.ended_at IS NOT NULL OR (
              SELECT c.outcome FROM engine.tool_call c WHERE c.turn_id = o.turn_id AND c.call_ref = o.call_ref
               ORDER BY c.seq DESC LIMIT 1) IN ('ok', 'error')) ORDER BY o.id LIMIT $1`,
      [limit, after],
    )) as OpenCall[];
  }

  async end(id: string): Promise<void> {
    await this.db.query(
      `UPDATE engine.open_call SET state = 'ended', ended_at = now(), ${emptied} WHERE id = $1 AND ended_at IS NULL`,
      [id],
    );
  }

  /** Nobody waits for it, but its server does not know that yet. */
  async abandon(id: string): Promise<void> {
    await this.db.query(`UPDATE engine.open_call SET state = 'task', ${emptied} WHERE id = $1 AND ended_at IS NULL`, [
      id,
    ]);
  }

  /** Whether the turn of a call goes on without it, so that nobody waits for its task any more. */
  async isAbandoned({ turn_id: turnId, call_ref: ref }: OpenCall): Promise<boolean> {
    const rows = (await this.db.query(
      `SELECT FROM engine.tool_call WHERE turn_id = $1 AND call_ref = $2 AND outcome = 'ok'`,
      [turnId, ref],
    )) as unknown[];
    return rows.length === 0;
  }

  /** @param from states in which it is changed. @returns whether it was in one of them. @throws LeaseLost */
  private async write(
    { turn_id: turnId, claim }: Claim,
    id: string,
    set: string,
    from: OpenCallState[],
    more: unknown[] = [],
  ): Promise<boolean> {
    const [row] = (await this.db.query(
      `WITH ${heldSql},
       written AS (UPDATE engine.open_call o SET ${set} FROM held
          WHERE o.turn_id = held.id AND o.id = $3 AND o.state = ANY($4) RETURNING o.id)
       SELECT EXISTS (SELECT FROM written) AS written FROM held`,
      [turnId, claim, id, from, ...more],
    )) as { written: boolean }[];
    if (!row) throw new LeaseLost('the lease was lost');
    return row.written;
  }
}

/** One for each call of a turn. */
export function openCallId(turnId: string, ref: string): string {
  return derivedId('opc', turnId, `open call ${ref}`);
}
