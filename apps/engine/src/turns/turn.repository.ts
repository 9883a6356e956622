import { Batcher } from '#libs/batching';
import type { TurnInput, TurnRunPayload } from '#libs/contracts';
import { isRefusedRow, type Queryable, storableJson, withoutFlush } from '#libs/database';
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
  | ({ state: 'claimed'; attempt: number; input: TurnInput | null } & Tries)
  /** It is tried again in `delayMs`, and not before. */
  | { state: 'rescheduled'; delayMs: number }
  /** Another claim holds the lease. */
  | { state: 'leased' }
  /** A person has to decide first; the decision adds its job anew. */
  | { state: 'waiting_approval' }
  | { state: 'ended'; turn: EndedTurn };

export type EndedTurn = Pick<Turn, 'id' | 'error' | 'attempt' | 'reply' | 'reason' | 'redrives'> & {
  state: 'succeeded' | 'failed';
};

/** How a claimed turn stood before. */
export interface Tries {
  /** Claims that count, this one included. */
  tries: number;
  waits: number;
  /** For how long, in ms, what it needs has been away; null: it was there. */
  awayMs: number | null;
  /** Code of the failure before. */
  error: string | null;
  redrives: number;
}

interface ClaimRequest {
  payload: TurnRunPayload;
  owner: string;
}

type ClaimedRow = Pick<Turn, 'id' | 'attempt' | 'waits' | 'error' | 'redrives'> & { away_ms: number | null };
type StoredRow = Pick<Turn, 'id' | 'state' | 'error' | 'attempt' | 'input' | 'reply' | 'reason' | 'redrives'> & {
  delay_ms: number | null;
};

const leaseOver = `(t.state = 'running' AND (t.lease_until IS NULL OR t.lease_until < now()))`;

/** It failed before the redrive that its job is of. */
const redriven = `(t.state = 'failed' AND t.error IS DISTINCT FROM 'cancelled' AND excluded.redrives > t.redrives)`;

// A queued turn has no holder: whichever job comes first takes it. A running one is taken over when its lease is over.
const claimSql = `
  INSERT INTO engine.turn AS t (id, organization_id, project_id, app_id, receipt_id, run_id, session_id, agent_id, epoch, input,
    traceparent, redrives, state, attempt, lease_owner, lease_until)
  SELECT turn_id, organization_id, project_id, app_id, receipt_id, run_id, session_id, agent_id, epoch, input, traceparent,
         coalesce(redrives, 0), 'running', 1, lease_owner, now() + $2 * interval '1 millisecond'
    FROM ${withoutFlush}, jsonb_to_recordset($1::jsonb) AS x(turn_id text, organization_id text, project_id text, app_id text, receipt_id text,
         run_id text, session_id text, agent_id text, epoch integer, input jsonb, traceparent text,
         redrives integer, lease_owner text)
   ORDER BY turn_id
  ON CONFLICT (id) DO UPDATE SET state = 'running', attempt = t.attempt + 1, lease_owner = excluded.lease_owner,
         lease_until = excluded.lease_until, input = coalesce(t.input, excluded.input), retry_at = NULL, finished_at = NULL,
         waits = CASE WHEN ${redriven} THEN t.attempt ELSE t.waits END,
         waiting_since = CASE WHEN ${redriven} THEN NULL ELSE t.waiting_since END,
         error = CASE WHEN ${redriven} THEN NULL ELSE t.error END, reply = NULL,
         redrives = greatest(t.redrives, excluded.redrives)
   WHERE (t.state = 'queued' AND (t.retry_at IS NULL OR t.retry_at <= now())) OR ${leaseOver} OR ${redriven}
  RETURNING id, attempt, waits, error, redrives, extract(epoch FROM now() - waiting_since) * 1000 AS away_ms`;

const failSql = `
  INSERT INTO engine.turn AS t (id, organization_id, project_id, app_id, receipt_id, run_id, session_id, agent_id, epoch, input,
    traceparent, state, attempt, error, finished_at, reply, redrives)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::jsonb, $11, 'failed', 1, $12, now(), 'none', $13)
  ON CONFLICT (id) DO UPDATE SET state = 'failed', error = $12, finished_at = now(), lease_owner = NULL, lease_until = NULL,
         retry_at = NULL, waiting_since = NULL, reply = 'none', redrives = greatest(t.redrives, excluded.redrives)`;

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
    payload.redrives ?? 0,
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

  /**
   * Gives a lease back after a failure; the turn is tried again after `delayMs`, and a sweeper leaves it to that.
   * @param waits what it needs is away: the claim is no try
   */
  async release(claim: Claim, error: string, delayMs: number, waits: boolean): Promise<void> {
    await this.db.query(
      `UPDATE engine.turn SET state = 'queued', error = $4, lease_owner = NULL,
              retry_at = now() + $5 * interval '1 millisecond', lease_until = now() + $6 * interval '1 millisecond',
              waits = waits + CASE WHEN $7 THEN 1 ELSE 0 END,
              waiting_since = CASE WHEN $7 THEN coalesce(waiting_since, now()) END
        WHERE id = $1 AND lease_owner = $2 AND attempt = $3 AND state = 'running'`,
      [claim.turn_id, claim.lease_owner, claim.attempt, error, delayMs, delayMs + this.settings.TURN_LEASE_MS, waits],
    );
  }

  /**
   * Ends a turn for good, in a transaction that leaves behind what else comes of it.
   * @returns the turn, where it ends by this call; how it ended before; null while another process works on it
   */
  async fail(tx: Queryable, payload: TurnRunPayload, error: string): Promise<FailedTurn | null> {
    const now = (await tx.query(
      `WITH ended AS (${failSql} WHERE t.state = 'queued' OR ${leaseOver} OR ${redriven} RETURNING t.*) SELECT * FROM ended`,
      failParameters(payload, error),
    )) as Turn[];
    if (now[0]) return { ended: { ...now[0], state: 'failed' }, now: now[0] };
    const row = (await this.stored([payload.turn_id], tx)).get(payload.turn_id);
    const outcome = row ? outcomeOf(row) : null;
    return outcome?.state === 'ended' ? { ended: outcome.turn, now: null } : null;
  }

  /** Ends a turn as cancelled, also one that is being run. Returns how it ended, and whether by this call. */
  async cancel(payload: TurnRunPayload): Promise<{ ended: EndedTurn; now: boolean }> {
    const by = await this.rows<{ id: string }>(
      `WITH ended AS (${failSql} WHERE t.state IN ('queued', 'running', 'waiting_approval') OR ${redriven} RETURNING id),
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
         UPDATE engine.turn t SET state = 'queued', lease_owner = NULL, lease_until = now(), retry_at = NULL FROM abandoned
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

  /** The turns of a run, oldest first. */
  ofRun(organizationId: string, projectId: string, runId: string): Promise<Turn[]> {
    const sql = 'SELECT * FROM engine.turn WHERE run_id = $1 AND organization_id = $2 AND project_id = $3 ORDER BY id';
    return this.rows<Turn>(sql, [runId, organizationId, projectId]);
  }

  private async claimAll(requests: ClaimRequest[]): Promise<ClaimOutcome[]> {
    const claimed = await this.rows<ClaimedRow>(claimSql, [
      storableJson(requests.map(({ payload, owner }) => ({ ...payload, lease_owner: owner }))),
      this.settings.TURN_LEASE_MS,
    ]);
    const claims = new Map(claimed.map((row) => [row.id, row]));
    // What is stored is read only where it is needed: an input that the job left out, a turn that was not ours to take.
    const unclear = requests.filter(({ payload }) => !claims.has(payload.turn_id) || !payload.input);
    const stored = await this.stored(unclear.map(({ payload }) => payload.turn_id));
    return requests.map(({ payload }) => {
      const claim = claims.get(payload.turn_id);
      const row = stored.get(payload.turn_id);
      if (claim) return { state: 'claimed', input: payload.input ?? row?.input ?? null, ...triesOf(claim) };
      return row ? outcomeOf(row) : { state: 'leased' };
    });
  }

  private async stored(turnIds: string[], db: Queryable = this.db): Promise<Map<string, StoredRow>> {
    if (turnIds.length === 0) return new Map();
    const rows = (await db.query(
      `SELECT id, state, error, attempt, input, reply, reason, redrives,
              CASE state WHEN 'queued' THEN extract(epoch FROM retry_at - now()) * 1000 END AS delay_ms
         FROM engine.turn WHERE id = ANY($1)`,
      [turnIds],
    )) as StoredRow[];
    return new Map(rows.map((row) => [row.id, row]));
  }

  private async rows<T>(sql: string, parameters: unknown[]): Promise<T[]> {
    return (await this.db.query(sql, parameters)) as T[];
  }
}

/** How a turn ended for good. */
export interface FailedTurn {
  ended: EndedTurn;
  /** The whole row, where it ended by this call. */
  now: Turn | null;
}

function triesOf({ attempt, waits, error, redrives, away_ms }: ClaimedRow): Tries & { attempt: number } {
  const awayMs = away_ms === null ? null : Number(away_ms);
  return { attempt, tries: attempt - waits, waits, awayMs, error, redrives };
}

type Unclaimed = Exclude<ClaimOutcome, { state: 'claimed' }>;

function outcomeOf({ state, delay_ms, input: _input, ...turn }: StoredRow): Unclaimed {
  if (state === 'waiting_approval') return { state };
  if (state === 'succeeded' || state === 'failed') return { state: 'ended', turn: { ...turn, state } };
  const delayMs = Number(delay_ms ?? 0);
  return state === 'queued' && delayMs > 0 ? { state: 'rescheduled', delayMs } : { state: 'leased' };
}
