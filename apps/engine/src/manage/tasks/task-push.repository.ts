import { newId } from '#libs/contracts';
import { Database } from '#libs/database';
import { type Settlement, Work } from '#libs/work';
import { Injectable } from '@nestjs/common';
import type { TaskPush } from '../../entities/agent-task.entity.js';
import { statusSql, type TaskState } from './task.repository.js';

const leaseMs = 60_000;

export type PushTarget = Pick<TaskPush, 'task_id' | 'name' | 'url' | 'secrets'>;

@Injectable()
export class TaskPushRepository {
  readonly work: Work<TaskPush>;

  constructor(private readonly db: Database) {
    const project = (t: string): string =>
      `coalesce((SELECT a.project_id FROM engine.agent_task a WHERE a.id = ${t}.task_id), '')`;
    this.work = new Work<TaskPush>(db, { table: 'engine.task_push', project, leaseMs, owner: () => null });
  }

  /** Replaces one of the same name, which then hears of the task again. @returns false: the task has `most` of them */
  async put(target: PushTarget, most: number): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      await tx.query('SELECT FROM engine.agent_task WHERE id = $1 FOR UPDATE', [target.task_id]);
      await tx.query('DELETE FROM engine.task_push WHERE task_id = $1 AND name = $2', [target.task_id, target.name]);
      const rows = (await tx.query(
        `INSERT INTO engine.task_push (id, task_id, name, url, secrets) SELECT $1, $2, $3, $4, $5
          WHERE (SELECT count(*) FROM engine.task_push WHERE task_id = $2) < $6 RETURNING id`,
        [newId('psh'), target.task_id, target.name, target.url, target.secrets, most],
      )) as unknown[];
      return rows.length > 0;
    });
  }

  async of(taskId: string): Promise<TaskPush[]> {
    return (await this.db.query('SELECT * FROM engine.task_push WHERE task_id = $1 ORDER BY id', [
      taskId,
    ])) as TaskPush[];
  }

  async remove(taskId: string, name: string): Promise<void> {
    await this.db.query('DELETE FROM engine.task_push WHERE task_id = $1 AND name = $2', [taskId, name]);
  }

  /** Those whose task is in another state than was reported. */
  claimDue(limit: number): Promise<TaskPush[]> {
    return this.work.claimDue(
      limit,
      `EXISTS (SELECT FROM engine.agent_task k LEFT JOIN engine.turn t ON t.id = k.turn_id
        WHERE k.id = w.task_id AND (${statusSql}) <> w.reported)`,
    );
  }

  /** @param reported null: as before */
  async settle(settlement: Settlement, reported: TaskState | null): Promise<void> {
    const sql = this.work.settleSql('$1', { reported: 'text' }, ['reported']);
    await this.db.query(`WITH settled AS (${sql}) SELECT FROM settled`, [
      this.work.settled([{ ...settlement, reported }]),
    ]);
  }
}
