import { callWaitsCode, columnsOf, derivedId, type McpAnswers, type ProjectScope } from '#libs/contracts';
import { storableJson } from '#libs/database';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { OpenCall } from '../entities/open-call.entity.js';
import type { Turn } from '../entities/turn.entity.js';

/** What is stored when a server asks, or makes a task of a call. */
export type KeptCall = Omit<OpenCall, 'created_at' | 'ended_at' | 'answers'>;

/** What was asked and answered is nobody's any more once a call has ended. */
const emptied = `state = 'ended', ended_at = now(), questions = NULL, answers = NULL, request_state = NULL`;

/** Calls that wait. */
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

  /** Stores what a call waits for, in place of what it waited for before. */
  async keep(call: KeptCall): Promise<void> {
    const row = { ...call, answers: null, ended_at: null };
    await this.db.manager.upsert(OpenCall, row as object, ['id']);
  }

  async asked(id: string): Promise<void> {
    await this.db.query(`UPDATE engine.open_call SET state = 'asked' WHERE id = $1 AND state = 'asking'`, [id]);
  }

  /** The answers of the user, once. @returns null when there is nothing to answer any more */
  async answer(token: string, answers: McpAnswers): Promise<OpenCall | null> {
    const [rows] = (await this.db.query(
      `UPDATE engine.open_call SET state = 'answered', answers = $2::jsonb
        WHERE token = $1 AND state IN ('asking', 'asked') AND expires_at > now() RETURNING *`,
      [token, storableJson(answers)],
    )) as [OpenCall[], number];
    return rows[0] ?? null;
  }

  /** The answers go to the server now. From here on nobody knows what it has done, until it has answered. */
  async sending(id: string): Promise<void> {
    await this.db.query(`UPDATE engine.open_call SET state = 'sending' WHERE id = $1 AND state = 'answered'`, [id]);
  }

  /** The server has surely not got them. */
  async notSent(id: string): Promise<void> {
    await this.db.query(`UPDATE engine.open_call SET state = 'answered' WHERE id = $1 AND state = 'sending'`, [id]);
  }

  /** A waiting turn is due. @returns it; null when it does not wait */
  async wake(turnId: string, onlyIfAnswered: boolean): Promise<Turn | null> {
    const [rows] = (await this.db.query(
      `UPDATE engine.turn t SET due_at = now()
        WHERE id = $1 AND state = 'queued' AND reason = $2 AND due_at > now() AND (NOT $3::boolean OR EXISTS (
              SELECT FROM engine.open_call o WHERE o.turn_id = t.id AND o.state = 'answered')) RETURNING *`,
      [turnId, callWaitsCode, onlyIfAnswered],
    )) as [Turn[], number];
    return rows[0] ?? null;
  }

  /** Calls that wait no longer: their turn has ended, or their result is stored. */
  async over(limit: number): Promise<OpenCall[]> {
    return (await this.db.query(
      `SELECT o.* FROM engine.open_call o LEFT JOIN engine.turn t ON t.id = o.turn_id
        WHERE o.ended_at IS NULL AND (t.id IS NULL OR t.ended_at IS NOT NULL OR EXISTS (
              SELECT FROM engine.tool_call c WHERE c.turn_id = o.turn_id AND c.call_ref = o.call_ref
                 AND c.outcome IN ('ok', 'error'))) LIMIT $1`,
      [limit],
    )) as OpenCall[];
  }

  async end(id: string): Promise<void> {
    await this.db.query(`UPDATE engine.open_call SET ${emptied} WHERE id = $1 AND ended_at IS NULL`, [id]);
  }

  /** Whether the turn of a call goes on without it, so that nobody waits for its task any more. */
  async isAbandoned({ turn_id: turnId, call_ref: ref }: OpenCall): Promise<boolean> {
    const rows = (await this.db.query(
      `SELECT FROM engine.tool_call WHERE turn_id = $1 AND call_ref = $2 AND outcome = 'ok'`,
      [turnId, ref],
    )) as unknown[];
    return rows.length === 0;
  }
}

/** One for each call of a turn. */
export function openCallId(turnId: string, ref: string): string {
  return derivedId('opc', turnId, `open call ${ref}`);
}
