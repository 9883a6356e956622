import { columnsOf, type ProjectScope } from '#libs/contracts';
import { type DueRows, takeDueSql } from '#libs/work';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import { AdapterRow } from '../../entities/app.entity.js';

/** The result of a poll; it also sets when the next one is due. */
export interface PollResult extends Pick<
  AdapterRow,
  'id' | 'state' | 'state_reason' | 'version' | 'latency_ms' | 'failed_polls'
> {
  nextInMs: number;
}

const polled: DueRows = {
  table: 'gateway.adapter',
  key: 'id',
  dueAt: 'next_check_at',
  pause: 'make_interval(secs => $2)',
  where: 'base_url IS NOT NULL',
};

@Injectable()
export class AdapterRepository {
  constructor(@InjectRepository(AdapterRow) private readonly rows: Repository<AdapterRow>) {}

  find(scope: ProjectScope, id: string): Promise<AdapterRow | null> {
    return this.rows.findOneBy({ id, ...columnsOf(scope) });
  }

  findBySlug(scope: ProjectScope, slug: string): Promise<AdapterRow | null> {
    return this.rows.findOneBy({ slug, ...columnsOf(scope) });
  }

  /** The organization's adapter of that slug; the oldest one if several projects have one. */
  findInOrganization(organizationId: string, slug: string): Promise<AdapterRow | null> {
    return this.rows.findOne({ where: { organization_id: organizationId, slug }, order: { id: 'ASC' } });
  }

  byIds(ids: string[]): Promise<AdapterRow[]> {
    return this.rows.findBy({ id: In(ids) });
  }

  list(scope: ProjectScope): Promise<AdapterRow[]> {
    return this.rows.find({
      where: columnsOf(scope),
      order: { slug: 'ASC' },
    });
  }

  /** Makes the next poll of the adapters at an address due now, or `everyMs` after the last one. */
  async expeditePoll(baseUrl: string, everyMs: number): Promise<void> {
    await this.rows.query(
      `UPDATE gateway.adapter SET next_check_at = greatest(now(), checked_at + make_interval(secs => $2))
        WHERE id IN (SELECT id FROM gateway.adapter WHERE base_url = $1 AND state = 'ready'
                        AND next_check_at > greatest(now(), checked_at + make_interval(secs => $2))
                      ORDER BY id FOR UPDATE SKIP LOCKED)`,
      [baseUrl, everyMs / 1_000],
    );
  }

  /** Takes adapters whose poll is due; no other replica polls them for `leaseMs`. */
  async takeDue(limit: number, leaseMs: number): Promise<AdapterRow[]> {
    const [rows] = (await this.rows.query(`${takeDueSql(polled, '$1')} RETURNING *`, [limit, leaseMs / 1000])) as [
      AdapterRow[],
      number,
    ];
    return rows;
  }

  async recordPoll(result: PollResult): Promise<void> {
    await this.rows.query(
      `WITH minute AS (
         INSERT INTO gateway.adapter_health AS h (adapter_id, minute, polls, ready, latency_sum_ms, latency_max_ms, reason)
         VALUES ($1, date_trunc('minute', now()), 1, ($2::text = 'ready')::integer,
           CASE WHEN $2::text = 'ready' THEN $5::double precision ELSE 0 END, coalesce($5::double precision, 0), $3::text)
         ON CONFLICT (adapter_id, minute) DO UPDATE SET polls = h.polls + 1, ready = h.ready + excluded.ready,
           latency_sum_ms = h.latency_sum_ms + excluded.latency_sum_ms,
           latency_max_ms = greatest(h.latency_max_ms, excluded.latency_max_ms), reason = coalesce(excluded.reason, h.reason))
       UPDATE gateway.adapter SET state = $2::text, state_reason = $3::text, version = coalesce($4, version),
         latency_ms = $5::double precision,
         failed_polls = $6, checked_at = now(), next_check_at = now() + make_interval(secs => $7) WHERE id = $1`,
      [
        result.id,
        result.state,
        result.state_reason,
        result.version,
        result.latency_ms,
        result.failed_polls,
        result.nextInMs / 1000,
      ],
    );
  }

  /** Deletes the results of polls that are older. */
  async forgetHealth(days: number): Promise<void> {
    await this.rows.query('DELETE FROM gateway.adapter_health WHERE minute < now() - make_interval(days => $1)', [
      days,
    ]);
  }

  /** Retries a failed Skill at the next sweep, also one that the registry refused. */
  async retrySkill(id: string): Promise<void> {
    await this.rows.query(
      `UPDATE gateway.adapter SET skill_announced = NULL, skill = jsonb_set(skill, '{next_try_at}', 'null')
        WHERE id = $1 AND skill->>'state' = 'failed'`,
      [id],
    );
  }
}
