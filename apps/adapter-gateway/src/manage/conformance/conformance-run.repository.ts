import type { ConformanceReport, PointResult } from '#libs/adapter-sdk';
import { storableJson } from '#libs/database';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ConformanceRunRow } from '../../entities/conformance-run.entity.js';

const uniqueViolation = '23505';
/** Runs of one adapter; older ones are deleted when another begins. */
const kept = 50;

@Injectable()
export class ConformanceRunRepository {
  constructor(private readonly db: DataSource) {}

  /** @returns false while another run of the adapter is in flight */
  async begin(run: ConformanceRunRow): Promise<boolean> {
    try {
      await this.db.getRepository(ConformanceRunRow).insert(run);
    } catch (error) {
      if ((error as { code?: string }).code === uniqueViolation) return false;
      throw error;
    }
    await this.db.query(
      `DELETE FROM gateway.conformance_run WHERE adapter_id = $1 AND id NOT IN (
         SELECT id FROM gateway.conformance_run WHERE adapter_id = $1 ORDER BY id DESC LIMIT $2)`,
      [run.adapter_id, kept],
    );
    return true;
  }

  async progress(id: string, points: PointResult[], total: number): Promise<void> {
    await this.db.query(
      `UPDATE gateway.conformance_run SET points_done = $2, points_total = $3, report = $4::jsonb, heard_at = now()
        WHERE id = $1 AND state = 'running'`,
      [id, points.length, total, storableJson({ points })],
    );
  }

  async finish(id: string, report: ConformanceReport): Promise<void> {
    await this.db.query(
      `UPDATE gateway.conformance_run SET state = 'finished', report = $2::jsonb, finished_at = now(), heard_at = now()
        WHERE id = $1 AND state = 'running'`,
      [id, storableJson(report)],
    );
  }

  async fail(id: string, error: string): Promise<void> {
    await this.db.query(
      `UPDATE gateway.conformance_run SET state = 'failed', error = left($2, 500), finished_at = now() WHERE id = $1 AND state = 'running'`,
      [id, error],
    );
  }

  /** Gives up the run of an adapter if it made no progress for that long. */
  async giveUpSilent(adapterId: string, silentMs: number): Promise<void> {
    await this.db.query(
      `UPDATE gateway.conformance_run SET state = 'failed', error = 'the process that ran it has ended', finished_at = now()
        WHERE adapter_id = $1 AND state = 'running' AND heard_at < now() - make_interval(secs => $2)`,
      [adapterId, silentMs / 1_000],
    );
  }

  find(adapterId: string, id: string): Promise<ConformanceRunRow | null> {
    return this.db.getRepository(ConformanceRunRow).findOneBy({ id, adapter_id: adapterId });
  }

  /** Newest first, without their reports. */
  async list(adapterId: string, cursor: string | null, limit: number): Promise<Omit<ConformanceRunRow, 'report'>[]> {
    return (await this.db.query(
      `SELECT id, organization_id, project_id, adapter_id, state, points_done, points_total, error, started_by, heard_at,
              finished_at, created_at
         FROM gateway.conformance_run WHERE adapter_id = $1 AND ($2::text IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
      [adapterId, cursor, limit],
    )) as Omit<ConformanceRunRow, 'report'>[];
  }
}
