import type { ProjectScope } from '#libs/contracts';
import { Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { AdapterRow, AppRow } from '../../entities/app.entity.js';

/** An adapter that may not be called now. */
export interface NotReady {
  slug: string;
  /** What the last health check said; null for one that a person disabled. */
  reason: string | null;
  /** Since when health checks find it not ready, to the minute; null: unknown, or a person disabled it. */
  since: Date | null;
  disabled: boolean;
}

/** What messages on their way need of the rows of Apps and adapters. */
@Injectable()
export class InstalledRepository {
  constructor(
    @InjectRepository(AppRow) private readonly apps: Repository<AppRow>,
    @InjectRepository(AdapterRow) private readonly adapters: Repository<AdapterRow>,
  ) {}

  app(id: string): Promise<AppRow | null> {
    return this.apps.findOneBy({ id });
  }

  adapter(id: string): Promise<AdapterRow | null> {
    return this.adapters.findOneBy({ id });
  }

  /** The adapter at an address, if it may not be called. @returns null where one is ready, or none is registered */
  async notReadyAt(baseUrl: string, { organizationId, projectId }: ProjectScope): Promise<NotReady | null> {
    const project = projectId === '' ? {} : { project_id: projectId };
    const rows = await this.adapters.find({
      select: { id: true, slug: true, state: true, state_reason: true, disabled: true },
      where: { base_url: baseUrl, organization_id: organizationId, ...project },
      order: { id: 'ASC' },
    });
    const [first] = rows;
    if (!first || rows.some(({ state, disabled }) => state === 'ready' && !disabled)) return null;
    const { id, slug, state_reason: reason, disabled } = first;
    return { slug, reason, disabled, since: disabled ? null : await this.unreadySince(id) };
  }

  private async unreadySince(adapterId: string): Promise<Date | null> {
    const [found] = (await this.adapters.query(
      `SELECT min(minute) AS since FROM gateway.adapter_health
        WHERE adapter_id = $1 AND polls > ready AND minute >= coalesce(
          (SELECT max(minute) FROM gateway.adapter_health WHERE adapter_id = $1 AND ready > 0), '-infinity')`,
      [adapterId],
    )) as { since: Date | null }[];
    return found?.since ?? null;
  }

  /** Records a contract violation on every adapter at that address. */
  async recordViolation(baseUrl: string, violation: string): Promise<void> {
    await this.adapters.update({ base_url: baseUrl }, { violation, violation_at: new Date() });
  }
}

const writeEveryMs = 5_000;
const maxRemembered = 10_000;
const maxLength = 500;

/** Records on an adapter how it last broke the contract; the same violation at most once in 5 s. */
@Injectable()
export class ViolationLog {
  private readonly logger = new Logger('contract');
  private readonly writtenAtMs = new Map<string, number>();

  constructor(private readonly rows: InstalledRepository) {}

  note(baseUrl: string, violation: string): void {
    const nowMs = Date.now();
    const key = `${baseUrl} ${violation}`;
    if (nowMs - (this.writtenAtMs.get(key) ?? 0) < writeEveryMs) return;
    if (this.writtenAtMs.size >= maxRemembered) this.writtenAtMs.clear();
    this.writtenAtMs.set(key, nowMs);
    this.rows.recordViolation(baseUrl, violation.slice(0, maxLength)).catch((error: unknown) => {
      this.logger.warn({ event: 'contract_violation.not_recorded', violation, error: String(error) });
    });
  }
}
