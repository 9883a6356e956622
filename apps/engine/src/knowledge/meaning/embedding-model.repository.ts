import { AuditLog } from '#libs/audit';
import { columnsOf, type ProjectScope } from '#libs/contracts';
import { failureSql, type Principal } from '#libs/service-kit';
import { type DueRows, takeDueSql } from '#libs/work';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { randomUUID } from 'node:crypto';
import { Repository } from 'typeorm';
import type { ChosenModel } from './embedder.js';
import { EmbeddingModelRow } from './embedding-model.entity.js';

/** A row whose documents are looked at by this process, until another one would. */
type Claimed = Pick<EmbeddingModelRow, 'project_id' | 'space'>;

const indexed: DueRows = {
  table: 'engine.embedding_model',
  key: 'project_id',
  dueAt: 'due_at',
  pause: 'make_interval(secs => $1)',
};

@Injectable()
export class EmbeddingModelRepository {
  constructor(
    @InjectRepository(EmbeddingModelRow) private readonly rows: Repository<EmbeddingModelRow>,
    private readonly audit: AuditLog,
  ) {}

  /** Null where none was chosen, or it was turned off. */
  async find(owner: ProjectScope): Promise<(EmbeddingModelRow & { model: string }) | null> {
    const row = await this.rows.findOneBy(columnsOf(owner));
    return row === null || row.model === null ? null : { ...row, model: row.model };
  }

  /** The project's documents get vectors of this model from now on; the same model once more changes nothing. */
  async choose(caller: Principal, { provider_id, model }: ChosenModel, dimensions: number): Promise<void> {
    await this.changed(caller, async (tx, before) => {
      if (before?.model === model && before.provider_id === provider_id) return;
      const now = new Date();
      const fields = {
        provider_id,
        model,
        dimensions,
        space: randomUUID(),
        failure: null,
        due_at: now,
        updated_at: now,
      };
      if (before) await tx.update(EmbeddingModelRow, columnsOf(caller), fields);
      else await tx.insert(EmbeddingModelRow, { ...columnsOf(caller), ...fields });
    });
  }

  /** Documents are found by words alone from now on. A sweep removes the vectors. */
  async turnOff(caller: Principal): Promise<void> {
    await this.changed(caller, async (tx, before) => {
      if (!before || before.model === null) return;
      const now = new Date();
      const fields = {
        provider_id: null,
        model: null,
        space: randomUUID(),
        failure: null,
        due_at: now,
        updated_at: now,
      };
      await tx.update(EmbeddingModelRow, columnsOf(caller), fields);
    });
  }

  private async changed(
    caller: Principal,
    change: (tx: Repository<EmbeddingModelRow>['manager'], before: EmbeddingModelRow | null) => Promise<void>,
  ): Promise<void> {
    await this.rows.manager.transaction(async (tx) => {
      // Two first choices at once: there is no row yet that could be locked.
      await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`embedding_model ${caller.projectId}`]);
      const lock = { mode: 'pessimistic_write' } as const;
      const before = await tx.findOne(EmbeddingModelRow, { where: columnsOf(caller), lock });
      await change(tx, before);
      const after = await tx.findOneBy(EmbeddingModelRow, columnsOf(caller));
      if (before?.space === after?.space) return;
      const shown = { before: shownInAudit(before), after: shownInAudit(after) };
      await this.audit.append(tx, caller, { action: 'knowledge.meaning_changed', subject: caller.projectId, ...shown });
    });
  }

  /** Whether the project's knowledge uses a provider. */
  async usesProvider(owner: ProjectScope, providerId: string): Promise<boolean> {
    return this.rows.existsBy({ ...columnsOf(owner), provider_id: providerId });
  }

  /** The project that waits longest; no other process gets it within the time. */
  async claim(forMs: number): Promise<EmbeddingModelRow | null> {
    const [claimed] = (await this.rows.query(`${takeDueSql(indexed, '1')} RETURNING *`, [forMs / 1_000])) as [
      EmbeddingModelRow[],
      number,
    ];
    return claimed[0] ?? null;
  }

  /** @param inMs when its documents are looked at again */
  async worked({ project_id, space }: Claimed, inMs: number): Promise<void> {
    await this.rows.query(
      `UPDATE engine.embedding_model SET failure = NULL, due_at = now() + make_interval(secs => $3)
        WHERE project_id = $1 AND space = $2`,
      [project_id, space, inMs / 1_000],
    );
  }

  /** Shows why there are no vectors at the moment. The wait grows to as long as it has been failing. */
  async failed(
    { project_id, space }: Claimed,
    { code, message, whatToDo }: { code: string; message: string; whatToDo: string | null },
    wait: { leastMs: number; mostMs: number },
  ): Promise<void> {
    await this.rows.query(
      `UPDATE engine.embedding_model m SET due_at = due.at, failure = ${shownFailure}
         FROM (SELECT now() + greatest(make_interval(secs => $3), least(make_interval(secs => $4),
                 now() - coalesce((failure->>'since')::timestamptz, now()))) AS at
                 FROM engine.embedding_model WHERE project_id = $1) AS due
        WHERE m.project_id = $1 AND m.space = $2`,
      [project_id, space, wait.leastMs / 1_000, wait.mostMs / 1_000, code, message, whatToDo],
    );
  }

  /** Ends what was turned off, once its vectors are gone. */
  async remove({ project_id, space }: Claimed): Promise<void> {
    await this.rows.query('DELETE FROM engine.embedding_model WHERE project_id = $1 AND space = $2 AND model IS NULL', [
      project_id,
      space,
    ]);
  }
}

const shownFailure = failureSql('m.failure', { code: '$5', error: '$6', nextTryAt: 'due.at', whatToDo: '$7' });

/** Where the texts of the knowledge go. */
function shownInAudit(row: EmbeddingModelRow | null): object | null {
  return row === null || row.model === null ? null : { provider_id: row.provider_id, model: row.model };
}
