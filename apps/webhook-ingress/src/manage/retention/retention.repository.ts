import { firstId } from '#libs/contracts';
import { dropOldPartitions, ensureDailyPartitions, Sweeping } from '#libs/database';
import { Journal } from '#libs/journal';
import { ProjectLimits } from '#libs/project-limits';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type IngressSettings, SETTINGS } from '../../env.js';

const sweepEveryMs = 3_600_000;
const rowsAtATime = 1_000;
const projectsEveryMs = 600_000;
const projectRowsAtATime = 2_000;
const dayMs = 86_400_000;

/** Deletes what is past the installation's retention: whole days of receipts and of the journal, and single refusals. */
@Injectable()
export class IngressRetention extends Sweeping {
  constructor(
    private readonly db: DataSource,
    @Inject(Journal) private readonly journal: Pick<Journal, 'turnPartitions'>,
    @Inject(SETTINGS) { RETENTION_DAYS: keepDays }: Pick<IngressSettings, 'RETENTION_DAYS'>,
  ) {
    super();
    const every = (name: string, sweep: (limit: number) => Promise<number>) =>
      this.sweepEvery({ name, everyMs: sweepEveryMs, batch: rowsAtATime, sweep });
    every('receipt-partitions', async () => {
      await this.turnPartitions(keepDays);
      await this.journal.turnPartitions(keepDays);
      return 0;
    });
    every('old-refusals', (limit) => this.deleteOldRefusals(keepDays, limit));
  }

  /** Ids contain the time, so the primary key finds old refusals. @returns how many were deleted */
  async deleteOldRefusals(keepDays: number, limit: number): Promise<number> {
    const before = Date.now() - keepDays * dayMs;
    const result: unknown = await this.db.query(
      'DELETE FROM ingress.refusal WHERE id IN (SELECT id FROM ingress.refusal WHERE id < $1 ORDER BY id LIMIT $2)',
      [`evt_${before.toString(16).padStart(12, '0')}`, limit],
    );
    return (result as [unknown[], number])[1];
  }

  /** Creates the partitions of the coming days, and drops receipts and delivery keys past their retention. */
  private async turnPartitions(keepDays: number): Promise<void> {
    await ensureDailyPartitions(this.db, 'ingress.receipt');
    await dropOldPartitions(this.db, 'ingress.receipt', keepDays);
    await this.db.query('DELETE FROM ingress.delivery_key WHERE received_at < now() - make_interval(days => $1)', [
      keepDays,
    ]);
  }
}

/**
 * Deletes old rows of projects with a shorter retention than the installation, whose own retention drops whole days.
 */
@Injectable()
export class ProjectRetention extends Sweeping {
  constructor(
    private readonly db: DataSource,
    private readonly journal: Journal,
    private readonly limits: ProjectLimits,
    @Inject(SETTINGS) private readonly settings: Pick<IngressSettings, 'RETENTION_DAYS'>,
  ) {
    super();
    const sweep = (limit: number): Promise<number> => this.deleteOld(limit);
    this.sweepEvery({ name: 'project-retention', everyMs: projectsEveryMs, batch: projectRowsAtATime, sweep });
  }

  /** @returns the most rows that one statement deleted, at most `limit` */
  async deleteOld(limit: number): Promise<number> {
    let most = 0;
    for (const { projectId, days } of this.limits.shorterThan(this.settings.RETENTION_DAYS)) {
      const before = new Date(Date.now() - days * dayMs);
      const deleted = [await this.receipts(projectId, before, limit), await this.refusals(projectId, before, limit)];
      most = Math.max(most, ...deleted);
    }
    return most;
  }

  private receipts(projectId: string, before: Date, limit: number): Promise<number> {
    return this.db.transaction(async (tx) => {
      // Matched by id and time, so that Postgres searches only the partition of that day.
      const [rows] = (await tx.query(
        `DELETE FROM ingress.receipt r USING (
           SELECT id, received_at FROM ingress.receipt WHERE project_id = $1 AND id < $2 ORDER BY id LIMIT $3
         ) AS old WHERE r.id = old.id AND r.received_at = old.received_at RETURNING r.id`,
        [projectId, firstId('evt', before), limit],
      )) as [{ id: string }[], number];
      const ids = rows.map(({ id }) => id);
      if (ids.length > 0) await this.journal.forgetReceipts(tx, projectId, ids, before);
      return ids.length;
    });
  }

  private async refusals(projectId: string, before: Date, limit: number): Promise<number> {
    const result: unknown = await this.db.query(
      `DELETE FROM ingress.refusal WHERE id IN (
         SELECT id FROM ingress.refusal WHERE project_id = $1 AND id < $2 ORDER BY id LIMIT $3)`,
      [projectId, firstId('evt', before), limit],
    );
    return (result as [unknown[], number])[1];
  }
}
