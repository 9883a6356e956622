import { Batcher } from '#libs/batching';
import type { TurnInput, TurnRunPayload } from '#libs/contracts';
import { isRefusedRow, storableJson, withoutFlush } from '#libs/database';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { EngineSettings } from '../settings.js';
import { SETTINGS } from '../settings.js';
import type { Turn } from './turn.entity.js';

/** A held lease: what a write has to show. */
export interface Claim {
  turn_id: string;
  lease_owner: string;
  attempt: number;
}

export type ClaimOutcome =
  | { state: 'claimed'; attempt: number; input: TurnInput | null }
  /** Another claim holds the lease. */
  | { state: 'leased' }
  /** A person has to decide first; the decision adds its job anew. */
  | { state: 'waiting_approval' }
  | { state: 'ended'; turn: EndedTurn };

export type EndedTurn = Pick<Turn, 'id' | 'error' | 'attempt'> & { state: 'succeeded' | 'failed' };

interface ClaimRequest {
  payload: TurnRunPayload;
  owner: string;
}

type ClaimedRow = Pick<Turn, 'id' | 'attempt'>;
type StoredRow = Pick<Turn, 'id' | 'state' | 'error' | 'attempt' | 'input'>;

const unheld = `t.state = 'queued' OR (t.state = 'running' AND (t.lease_until IS NULL OR t.lease_until < now()))`;

// A queued turn has no holder: whichever job comes first takes it. A running one is taken over when its lease is over.
const claimSql = `
  INSERT INTO engine.turn AS t (id, organization_id, project_id, app_id, receipt_id, run_id, session_id, agent_id, epoch, input,
    traceparent, state, attempt, lease_owner, lease_until)
  SELECT turn_id, organization_id, project_id, app_id, receipt_id, run_id, session_id, agent_id, epoch, input, traceparent,
         'running', 1, lease_owner, now() + $2 * interval '1 millisecond'
    FROM ${withoutFlush}, jsonb_to_recordset($1::jsonb) AS x(turn_id text, organization_id text, project_id text, app_id text, receipt_id text,
         run_id text, session_id text, agent_id text, epoch integer, input jsonb, traceparent text,
         lease_owner text)
   ORDER BY turn_id
  ON CONFLICT (id) DO UPDATE SET state = 'running', attempt = t.attempt + 1, lease_owner = excluded.lease_owner,
         lease_until = excluded.lease_until, input = coalesce(t.input, excluded.input)
   WHERE ${unheld}
  RETURNING id, attempt`;

const failSql = `
  INSERT INTO engine.turn AS t (id, organization_id, project_id, app_id, receipt_id, run_id, session_id, agent_id, epoch, input,
    traceparent, state, attempt, error, finished_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::jsonb, $11, 'failed', 1, $12, now())
  ON CONFLICT (id) DO UPDATE SET state = 'failed', error = $12, finished_at = now(), lease_owner = NULL, lease_until = NULL`;

function failParameters(payload: TurnRunPayload, error: string): unknown[] {
  return [
    payload.turn_id,
    payload.organization_id,
    payload.project_id,
    payload.app_id,
    payload.receipt_id,
    payload.run_id ?? null,
    payload.session_id ?? null,
    payload.agent_id ?? null,
    payload.epoch,
    payload.input ? storableJson(payload.input) : null,
    payload.traceparent ?? null,
    error,
  ];
}

/** The rows of turns and their leases. */
@Injectable()
export class TurnRepository {
  private readonly claims: Batcher<ClaimRequest, ClaimOutcome>;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {
    const together = { maxItems: 64, maxWaitMs: 0, maxRunning: 2, failsByItem: isRefusedRow };
    this.claims = new Batcher((requests) => this.claimAll(requests), together);
  }

  /** Stores the turn, where it is new, and takes its lease. Two requests for one turn must not run at once. */
  claim(payload: TurnRunPayload, owner: string): Promise<ClaimOutcome> {
    return this.claims.add({ payload, owner });
  }

  /** Keeps an input that was read from the router. */
  async keepInput(turnId: string, input: TurnInput): Promise<void> {
    await this.db.query('UPDATE engine.turn SET input = $2::jsonb WHERE id = $1 AND input IS NULL', [
      turnId,
      storableJson(input),
    ]);
  }

  /** Renews leases; returns the turns whose lease is still ours. */
  async renew(turnIds: string[], owner: string): Promise<Set<string>> {
    const rows = await this.rows<{ id: string }>(
      `WITH renewed AS (UPDATE engine.turn SET lease_until = now() + $3 * interval '1 millisecond'
         WHERE id = ANY($1) AND lease_owner = $2 AND state = 'running' RETURNING id) SELECT id FROM renewed`,
      [turnIds, owner, this.settings.TURN_LEASE_MS],
    );
    return new Set(rows.map((row) => row.id));
  }

  /** Gives a lease back after a failure; a sweeper leaves the turn to its retry, which comes after `delayMs`. */
  async release(claim: Claim, error: string, delayMs: number): Promise<void> {
    await this.db.query(
      `UPDATE engine.turn SET state = 'queued', error = $4, lease_owner = NULL,
              lease_until = now() + $5 * interval '1 millisecond'
        WHERE id = $1 AND lease_owner = $2 AND attempt = $3 AND state = 'running'`,
      [claim.turn_id, claim.lease_owner, claim.attempt, error, delayMs + this.settings.TURN_LEASE_MS],
    );
  }

  /** Ends a turn for good. Returns how it ended, also when it had before; null while another process works on it. */
  async fail(payload: TurnRunPayload, error: string): Promise<EndedTurn | null> {
    await this.rows(`${failSql} WHERE ${unheld}`, failParameters(payload, error));
    const row = (await this.stored([payload.turn_id])).get(payload.turn_id);
    const outcome = row ? outcomeOf(row) : null;
    return outcome?.state === 'ended' ? outcome.turn : null;
  }

  /** Ends a turn as cancelled, also one that is being run. Returns how it ended, and whether by this call. */
  async cancel(payload: TurnRunPayload): Promise<{ ended: EndedTurn; now: boolean }> {
    const by = await this.rows<{ id: string }>(
      `WITH ended AS (${failSql} WHERE t.state IN ('queued', 'running', 'waiting_approval') RETURNING id),
       withdrawn AS (UPDATE engine.approval a SET state = 'cancelled', decided_at = now() FROM ended
         WHERE a.turn_id = ended.id AND a.state = 'pending')
       SELECT id FROM ended`,
      failParameters(payload, 'cancelled'),
    );
    const row = (await this.stored([payload.turn_id])).get(payload.turn_id);
    const outcome = row ? outcomeOf(row) : null;
    if (outcome?.state !== 'ended') throw new Error(`the turn ${payload.turn_id} did not end`);
    return { ended: outcome.turn, now: by.length > 0 };
  }

  /** Turns that nobody works on: queued again, at most `limit`, as payloads without their input, which is stored. */
  async takeAbandoned(limit: number, afterMs: number): Promise<TurnRunPayload[]> {
    return this.rows<TurnRunPayload>(
      `WITH abandoned AS (
         SELECT id FROM engine.turn
          WHERE state IN ('queued', 'running') AND lease_until < now() - $2 * interval '1 millisecond'
          ORDER BY lease_until LIMIT $1 FOR UPDATE SKIP LOCKED),
       taken AS (
         UPDATE engine.turn t SET state = 'queued', lease_owner = NULL, lease_until = now() FROM abandoned
          WHERE t.id = abandoned.id RETURNING t.*)
       SELECT id AS turn_id, organization_id, project_id, app_id, receipt_id, run_id, session_id, agent_id, epoch,
              traceparent FROM taken`,
      [limit, afterMs],
    );
  }

  /** One turn of a project, or null. */
  async find(organizationId: string, projectId: string, id: string): Promise<Turn | null> {
    const sql = 'SELECT * FROM engine.turn WHERE id = $1 AND organization_id = $2 AND project_id = $3';
    return (await this.rows<Turn>(sql, [id, organizationId, projectId]))[0] ?? null;
  }

  private async claimAll(requests: ClaimRequest[]): Promise<ClaimOutcome[]> {
    const claimed = await this.rows<ClaimedRow>(claimSql, [
      storableJson(requests.map(({ payload, owner }) => ({ ...payload, lease_owner: owner }))),
      this.settings.TURN_LEASE_MS,
    ]);
    const attempts = new Map(claimed.map((row) => [row.id, row.attempt]));
    // What is stored is read only where it is needed: an input that the job left out, a turn that was not ours to take.
    const unclear = requests.filter(({ payload }) => !attempts.has(payload.turn_id) || !payload.input);
    const stored = await this.stored(unclear.map(({ payload }) => payload.turn_id));
    return requests.map(({ payload }) => {
      const attempt = attempts.get(payload.turn_id);
      const row = stored.get(payload.turn_id);
      if (attempt !== undefined) return { state: 'claimed', attempt, input: payload.input ?? row?.input ?? null };
      return row ? outcomeOf(row) : { state: 'leased' };
    });
  }

  private async stored(turnIds: string[]): Promise<Map<string, StoredRow>> {
    if (turnIds.length === 0) return new Map();
    const rows = await this.rows<StoredRow>(
      'SELECT id, state, error, attempt, input FROM engine.turn WHERE id = ANY($1)',
      [turnIds],
    );
    return new Map(rows.map((row) => [row.id, row]));
  }

  private async rows<T>(sql: string, parameters: unknown[]): Promise<T[]> {
    return (await this.db.query(sql, parameters)) as T[];
  }
}

function outcomeOf({
  id,
  state,
  error,
  attempt,
}: StoredRow): { state: 'leased' } | { state: 'waiting_approval' } | { state: 'ended'; turn: EndedTurn } {
  if (state === 'waiting_approval') return { state };
  return state === 'succeeded' || state === 'failed'
    ? { state: 'ended', turn: { id, state, error, attempt } }
    : { state: 'leased' };
}
