import { type Settlement, Work } from '#libs/work';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Approval, ApprovalAsk } from '../../entities/approval.entity.js';
import { type EngineSettings, SETTINGS } from '../../settings.js';

/** On top of the call that delivers it. */
const graceMs = 15_000;

/** An approval as its approver is shown it. */
export type AskedApproval = Approval & { agent_name: string | null };

@Injectable()
export class ApprovalAskRepository {
  private readonly work: Work<ApprovalAsk>;

  constructor(
    private readonly db: DataSource,
    @Inject(SETTINGS) { TOOL_TIMEOUT_MS: callMs }: EngineSettings,
  ) {
    this.work = new Work(db, { table: 'engine.approval_ask', leaseMs: callMs + graceMs, owner: () => null });
  }

  claimDue(limit: number): Promise<ApprovalAsk[]> {
    return this.work.claimDue(limit);
  }

  async settle(settlement: Settlement, deliveryId: string | null): Promise<void> {
    const own = { delivery_id: 'text' };
    await this.db.query(`WITH settled AS (${this.work.settleSql('$1', own)}) SELECT FROM settled`, [
      this.work.settled([{ ...settlement, delivery_id: deliveryId }]),
    ]);
  }

  async approval(id: string): Promise<AskedApproval | null> {
    const rows = (await this.db.query(
      `SELECT a.*, g.name AS agent_name FROM engine.approval a
         LEFT JOIN engine.agent g ON g.id = a.agent_id AND g.project_id = a.project_id WHERE a.id = $1`,
      [id],
    )) as AskedApproval[];
    return rows[0] ?? null;
  }
}
