import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { EngineSettings } from '../settings.js';
import { SETTINGS } from '../settings.js';
import type { Step } from './step.entity.js';
import { storableJson } from './storable.js';
import type { NewStep } from './turn-ending.repository.js';
import type { Claim } from './turn.repository.js';

// The lease is checked and renewed in the statement that stores, so that a claim that lost it stores nothing.
const appendSql = `
  WITH held AS (
    UPDATE engine.turn SET lease_until = now() + $5 * interval '1 millisecond'
     WHERE id = $1 AND lease_owner = $2 AND attempt = $3 AND state = 'running' RETURNING id),
  stored AS (
    INSERT INTO engine.step (turn_id, seq, kind, content, tokens, duration_ms)
    SELECT held.id, s.seq, s.kind, s.content, s.tokens, s.duration_ms
      FROM held CROSS JOIN jsonb_to_recordset($4::jsonb) AS s(seq integer, kind text, content jsonb, tokens integer,
           duration_ms double precision))
  SELECT id FROM held`;

/** What turns did, step by step. */
@Injectable()
export class StepRepository {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  /** Commits steps before and after a call. @returns false when the lease was lost, and nothing was stored */
  async append(claim: Claim, steps: NewStep[]): Promise<boolean> {
    const rows = (await this.db.query(appendSql, [
      claim.turn_id,
      claim.lease_owner,
      claim.attempt,
      storableJson(steps),
      this.settings.TURN_LEASE_MS,
    ])) as unknown[];
    return rows.length > 0;
  }

  /** The steps of a turn in their order. */
  async of(turnId: string): Promise<Step[]> {
    return (await this.db.query('SELECT * FROM engine.step WHERE turn_id = $1 ORDER BY seq', [turnId])) as Step[];
  }
}
