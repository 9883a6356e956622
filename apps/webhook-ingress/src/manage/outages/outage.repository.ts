import { newId } from '#libs/contracts';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, Repository } from 'typeorm';
import { Outage } from '../../entities/ingress.entity.js';

/** The row of `ingress.sweep` that says when webhooks could be stored last. */
const openMark = 2;

@Injectable()
export class OutageRepository {
  constructor(@InjectRepository(Outage) private readonly rows: Repository<Outage>) {}

  /**
   * Notes that webhooks can be stored now, and an outage where none could be for longer than `gapMs`: no ingress ran, or
   * Postgres took nothing. @returns whether there was one
   */
  async beat(gapMs: number): Promise<boolean> {
    const found = (await this.rows.query(
      `WITH was AS (SELECT swept_to AS at FROM ingress.sweep WHERE id = ${openMark} FOR UPDATE),
       beat AS (INSERT INTO ingress.sweep VALUES (${openMark}, now()) ON CONFLICT (id) DO UPDATE SET swept_to = now())
       INSERT INTO ingress.outage (id, since, until)
       SELECT $1, at, now() FROM was WHERE at < now() - $2::float8 * interval '1 millisecond' RETURNING id`,
      [newId('out'), gapMs],
    )) as unknown[];
    return found.length > 0;
  }

  unannounced(limit: number): Promise<Outage[]> {
    return this.rows.find({ where: { announced_at: IsNull() }, order: { id: 'ASC' }, take: limit });
  }

  async announced(ids: string[]): Promise<void> {
    await this.rows.query('UPDATE ingress.outage SET announced_at = now() WHERE id = ANY($1)', [ids]);
  }

  async deleteOld(keepDays: number): Promise<void> {
    await this.rows.query('DELETE FROM ingress.outage WHERE announced_at < now() - make_interval(days => $1)', [
      keepDays,
    ]);
  }
}
