import type { ProjectScope } from '#libs/contracts';
import { Database } from '#libs/database';
import { Injectable } from '@nestjs/common';
import type { AgentTask } from '../../entities/agent-task.entity.js';

/** As A2A knows them. A task that waits for a person's approval is `input_required`. */
export const taskStates = [
  'submitted',
  'working',
  'input_required',
  'completed',
  'failed',
  'canceled',
  'rejected',
] as const;
export type TaskState = (typeof taskStates)[number];

const ended: readonly TaskState[] = ['completed', 'failed', 'canceled', 'rejected'];
export const isEnded = ({ status }: Pick<TaskRecord, 'status'>): boolean => ended.includes(status);

/** A task as its turn is now. */
export interface TaskRecord extends AgentTask {
  status: TaskState;
  /** Why the turn has failed or waits, a code. */
  reason: string | null;
  /** What was asked; null: it is erased. */
  asked: string | null;
  /** Null: there is no answer, or not yet. */
  answer: string | null;
  /** What is written of the answer so far. */
  preview: string | null;
  changed_at: Date;
}

export const statusSql = `
  CASE WHEN k.refusal IS NOT NULL THEN 'rejected'
       WHEN t.state = 'succeeded' THEN 'completed'
       WHEN t.state = 'failed' AND t.reason = 'cancelled' THEN 'canceled'
       WHEN t.state IN ('failed', 'handled', 'collected') THEN 'failed'
       WHEN t.state = 'waiting_approval' THEN 'input_required'
       WHEN t.claim > 0 THEN 'working'
       ELSE 'submitted' END`;

/** When it came into its state: when it ended, when it began to wait for a person, or went on after one. */
const changedSql = `coalesce(t.ended_at, greatest(k.created_at,
  (SELECT max(greatest(a.created_at, a.decided_at)) FROM engine.approval a WHERE a.turn_id = k.turn_id)))`;

/** A task whose turn is past its retention is gone as well. */
const recordsSql = `
  SELECT k.*, ${statusSql} AS status, CASE WHEN t.state <> 'succeeded' THEN t.reason END AS reason,
         t.input #>> '{message,message}' AS asked, CASE t.state WHEN 'succeeded' THEN t.reply_text END AS answer,
         CASE WHEN t.state IN ('queued', 'running') THEN p.text END AS preview, ${changedSql} AS changed_at
    FROM engine.agent_task k LEFT JOIN engine.turn t ON t.id = k.turn_id LEFT JOIN engine.turn_preview p ON p.turn_id = t.id
   WHERE (k.turn_id IS NULL OR t.id IS NOT NULL)`;

/** Whose tasks. */
export interface TaskOwner extends ProjectScope {
  /** `key:<id>` or `user:<id>` */
  subject: string;
}

export interface TaskFilter {
  agentId: string | null;
  contextId: string | null;
  status: TaskState | null;
  changedSince: Date | null;
  /** Of the last task of the page before. */
  before: string | null;
}

/** A file of a task's answer. */
export interface TaskFile {
  /** Its place in the answer, from 1. */
  seq: number;
  name: string;
  content_type: string;
  content: Buffer;
}

export type NewTask = Omit<AgentTask, 'created_at'>;

@Injectable()
export class TaskRepository {
  constructor(private readonly db: Database) {}

  /** Stores it once. */
  async add(task: NewTask): Promise<void> {
    await this.db.query(
      `INSERT INTO engine.agent_task (id, organization_id, project_id, agent_id, caller, protocol, context_id, message_id,
         receipt_id, turn_id, refusal) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (id) DO NOTHING`,
      [
        task.id,
        task.organization_id,
        task.project_id,
        task.agent_id,
        task.caller,
        task.protocol,
        task.context_id,
        task.message_id,
        task.receipt_id,
        task.turn_id,
        task.refusal,
      ],
    );
  }

  async find({ organizationId, projectId, subject }: TaskOwner, id: string): Promise<TaskRecord | null> {
    const owned = 'AND k.id = $1 AND k.organization_id = $2 AND k.project_id = $3 AND k.caller = $4';
    return (await this.records(owned, [id, organizationId, projectId, subject]))[0] ?? null;
  }

  /** For those who were shown them to their caller before. */
  byIds(ids: string[]): Promise<TaskRecord[]> {
    return this.records('AND k.id = ANY($1)', [ids]);
  }

  /** Newest first. @returns also how many there are of all pages */
  async list(owner: TaskOwner, filter: TaskFilter, limit: number): Promise<{ tasks: TaskRecord[]; total: number }> {
    const { agentId, contextId, status, changedSince, before } = filter;
    const where = `AND k.organization_id = $1 AND k.project_id = $2 AND k.caller = $3
        AND ($4::text IS NULL OR k.agent_id = $4) AND ($5::text IS NULL OR k.context_id = $5)
        AND ($6::text IS NULL OR ${statusSql} = $6)
        AND ($7::timestamptz IS NULL OR ${changedSql} >= $7)`;
    const of = [owner.organizationId, owner.projectId, owner.subject, agentId, contextId, status, changedSince];
    const [tasks, [counted]] = await Promise.all([
      this.records(`${where} AND ($8::text IS NULL OR k.id < $8) ORDER BY k.id DESC LIMIT $9`, [...of, before, limit]),
      this.db.query(`SELECT count(*)::integer AS total FROM (${recordsSql} ${where}) every`, of) as Promise<
        { total: number }[]
      >,
    ]);
    return { tasks, total: counted?.total ?? 0 };
  }

  /** The files of an answer, in their order; none before it is there, and none without words. */
  async filesOf({ status, turn_id: turnId, answer }: TaskRecord): Promise<TaskFile[]> {
    if (status !== 'completed' || turnId === null || (answer ?? '') === '') return [];
    const sql = 'SELECT seq, name, content_type, content FROM engine.turn_file WHERE turn_id = $1 ORDER BY seq';
    return (await this.db.query(sql, [turnId])) as TaskFile[];
  }

  private async records(where: string, parameters: unknown[]): Promise<TaskRecord[]> {
    return (await this.db.query(`${recordsSql} ${where}`, parameters)) as TaskRecord[];
  }
}
