import { Batcher } from '#libs/batching';
import type { TurnInput, TurnRunPayload } from '#libs/contracts';
import { asynchronousCommit, isRefusedRow, Liveness, type Queryable, storableJson } from '#libs/database';
import { entryCtes, Journal, type JournalEntry } from '#libs/journal';
import { Work } from '#libs/work';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Arrival, discardLate, placeTurns, sinceHeld } from './arrivals.js';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import type { Tried, TurnSettlement } from './turn.verdict.js';
import type { Memory } from '../compaction/compactor.service.js';
import { type ShownSummary, summaryOf } from '../../entities/compaction.entity.js';
import type { WindowTurn } from '../prompt/prompt.js';
import { type Turn, wholeInput } from '../../entities/turn.entity.js';
import { settleStepSql } from '../steps/step.repository.js';

export type ClaimOutcome =
  | ({ state: 'claimed'; tried: Tried } & ClaimedTurn)
  /** It is retried in `delayMs`, not earlier. */
  | { state: 'rescheduled'; delayMs: number }
  /** Another claim holds the lease. */
  | { state: 'leased' }
  /**
   * Something has to come first: a turn of its session, a person's decision, more messages. Whatever opens it adds a
   * new job.
   */
  | { state: 'waiting' }
  | { state: 'ended' };

/** What a claimed turn works on. */
export interface ClaimedTurn {
  input: TurnInput | null;
  session_id: string | null;
  /** What was said before it in its session. */
  memory: Memory;
}

interface ClaimRequest {
  payload: TurnRunPayload;
  owner: string | null;
}

type ClaimedRow = Tried &
  Pick<Turn, 'state' | 'session_id'> & {
    input: TurnInput | null;
    past: PastRow[] | null;
    summary: ShownSummary | null;
  };
/** A turn of the past as its row has it. */
type PastRow = Omit<WindowTurn, 'input'> & Pick<Turn, 'app_id' | 'input'>;
type StoredRow = Pick<Turn, 'id' | 'state' | 'input'> & { delay_ms: number | null };

const pastWindows = 3;

/** The turn was held for more messages and now arrives with all of them. */
const complete = `(t.state = 'held' AND t.held_for = 'messages' AND excluded.held_for IS DISTINCT FROM 'messages')`;

const storedColumns = `organization_id, project_id, app_id, receipt_id, message_id, run_id, workflow_id, trigger_id,
  replay, replay_of, session_id, agent_id, epoch, input, held_for`;

/**
 * SQL for the turns that succeeded before a turn in its session and are not in its summary, oldest first, as JSON.
 * @param turn the turn's alias in the statement
 * @param limit how many turns
 */
const pastTurns = (turn: string, limit: string): string => `
  (SELECT coalesce(jsonb_agg(to_jsonb(past) ORDER BY past.id), '[]') FROM (
     SELECT id, app_id, input, reply_text, content_trust FROM engine.turn earlier
      WHERE earlier.session_id = ${turn}.session_id AND earlier.project_id = ${turn}.project_id
        AND earlier.state = 'succeeded' AND earlier.id < ${turn}.id
        AND earlier.id > coalesce((SELECT through_turn_id FROM engine.session_summary s WHERE s.session_id = ${turn}.session_id), '')
      ORDER BY earlier.id DESC LIMIT ${limit}) past)`;

/** The rows of turns and their leases. */
@Injectable()
export class TurnRepository {
  readonly work: Work<Turn>;
  private readonly claims: Batcher<ClaimRequest, ClaimOutcome>;

  constructor(
    private readonly db: DataSource,
    private readonly journal: Journal,
    liveness: Liveness,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {
    const leaseMs = settings.TURN_LEASE_MS;
    this.work = new Work(db, {
      table: 'engine.turn',
      leaseMs,
      owner: () => liveness.owner,
      owners: () => liveness.owners,
    });
    // One batch at a time: two in parallel would break the order of arrival.
    const together = { maxItems: 64, maxWaitMs: 0, maxRunning: 1, failsByItem: isRefusedRow };
    this.claims = new Batcher((requests) => this.claimAll(requests), together);
  }

  /** Stores the turn if it is new, and takes its lease. Two requests for one turn must not run at once. */
  claim(payload: TurnRunPayload, owner = this.work.lease[0]): Promise<ClaimOutcome> {
    return this.claims.add({ payload, owner });
  }

  /** Stores new turns before their jobs arrive. Any process may claim them. */
  async accept(payloads: TurnRunPayload[]): Promise<void> {
    const requests = payloads.map((payload) => ({ payload, owner: null }));
    await this.db.transaction((tx) => this.store(tx, requests, 'queued'));
  }

  /**
   * Gives a lease back after a failure or for a wait, with the step of its workflow that it was at. One that is given up
   * is queued until its dead letter ends it.
   */
  async release(settlement: TurnSettlement, db: Queryable = this.db): Promise<void> {
    const kept = settlement.state === 'dead' ? ({ ...settlement, state: 'queued', due_in_ms: 0 } as const) : settlement;
    const sql = this.work.settleSql('$1', { waits: 'integer', unreadable: 'integer' });
    await db.query(`WITH settled AS (${sql}) ${settleStepSql('$2::boolean')}`, [
      this.work.settled([kept]),
      settlement.state === 'dead',
    ]);
  }

  /** One turn of a project, or null. */
  async find(organizationId: string, projectId: string, id: string): Promise<Turn | null> {
    const sql = 'SELECT * FROM engine.turn WHERE id = $1 AND organization_id = $2 AND project_id = $3';
    return (await this.rows<Turn>(sql, [id, organizationId, projectId]))[0] ?? null;
  }

  async byId(id: string, db: Queryable = this.db): Promise<Turn | null> {
    return ((await db.query('SELECT * FROM engine.turn WHERE id = $1', [id])) as Turn[])[0] ?? null;
  }

  /** What was said before it in its session. */
  async memoryOf(id: string): Promise<Memory> {
    const sql = `SELECT ${pastTurns('t', '$2')} AS past, ${summaryOf('t')} AS summary FROM engine.turn t WHERE id = $1`;
    const [row] = await this.rows<{ past: PastRow[]; summary: ShownSummary | null }>(sql, [id, this.pastRead]);
    return { past: pastOf(row?.past ?? []), summary: row?.summary ?? null };
  }

  /** More than the window shows, so that there is something to summarise. */
  private get pastRead(): number {
    return pastWindows * this.settings.TURN_WINDOW;
  }

  /** Stores turns in their initial state. @returns those that are new or were claimed */
  private async store(tx: Queryable, requests: ClaimRequest[], begin: 'running' | 'queued'): Promise<ClaimedRow[]> {
    const payloads = requests.map(({ payload }) => payload);
    const places = await placeTurns(tx, payloads.filter(isOfSession));
    const { released, discarded } = await sinceHeld(tx, payloads);
    const rows = requests.map(({ payload, owner }) => {
      const { run, session: _session, held, ...rest } = payload;
      const place = places.get(payload.turn_id);
      const isHeld = held !== undefined && !released.has(payload.turn_id);
      // Its session is free for it: it begins as the request says.
      const placed = place?.state === 'running' ? begin : place?.state;
      const state = placed ?? (isHeld ? 'held' : begin);
      return {
        ...rest,
        run_id: run?.id,
        workflow_id: run?.workflow_id,
        trigger_id: run?.trigger_id,
        epoch: 0,
        replay: run?.replay ?? false,
        replay_of: run?.replay_of,
        held_for: isHeld ? held.until : null,
        ...place,
        state,
        owner: state === 'running' ? owner : null,
      };
    });
    const entries = rows.flatMap((row) =>
      row.state === 'waiting' || row.state === 'held'
        ? [this.journal.row(heldEntry(row, row.state === 'held' ? 'workflow_held' : 'session_busy'), row.turn_id)]
        : [],
    );
    const parameters = [storableJson(rows), this.settings.TURN_LEASE_MS, storableJson(entries), this.pastRead];
    const stored = (await tx.query(this.storeSql, parameters)) as ClaimedRow[];
    await discardLate(tx, this.journal, discarded);
    return stored;
  }

  /** A queued turn has no holder: the first job to arrive claims it. A running turn is taken over once its lease is over. */
  private get storeSql(): string {
    const stored = this.work.storeSql('t', 'state', 'owner', '$2::float8');
    return `
      WITH claimed AS (
        INSERT INTO engine.turn AS t (id, ${storedColumns}, ${stored.columns})
        SELECT turn_id, ${storedColumns}, ${stored.values}
          FROM ${asynchronousCommit}, jsonb_to_recordset($1::jsonb) AS x(turn_id text, organization_id text, project_id text, app_id text,
               receipt_id text, message_id text, run_id text, workflow_id integer, trigger_id text, replay boolean, replay_of text,
               session_id text, agent_id text, epoch integer, input jsonb, held_for text, state text, owner text)
         WHERE message_id IS NOT NULL OR EXISTS (SELECT FROM engine.turn known WHERE known.id = turn_id)
         ORDER BY turn_id
        ON CONFLICT (id) DO UPDATE SET ${stored.set}, held_for = excluded.held_for,
               input = CASE t.state WHEN 'held' THEN excluded.input ELSE t.input END
         WHERE (excluded.state = 'running' AND ${this.work.isDueSql('t')}) OR ${complete}
        RETURNING t.*),
      ${entryCtes(3, `SELECT id FROM claimed WHERE state IN ('waiting', 'held')`)}
      SELECT id, state, claim, tries, blocked_since, reason, waits, unreadable, session_id, input,
             CASE state WHEN 'running' THEN ${pastTurns('claimed', '$4')} END AS past,
             CASE state WHEN 'running' THEN ${summaryOf('claimed')} END AS summary
        FROM claimed`;
  }

  private async claimAll(requests: ClaimRequest[]): Promise<ClaimOutcome[]> {
    const payloads = requests.map(({ payload }) => payload);
    const locks = payloads.some((payload) => payload.session || payload.held);
    const claimed = locks
      ? await this.db.transaction((tx) => this.store(tx, requests, 'running'))
      : await this.store(this.db, requests, 'running');
    const claims = new Map(claimed.map((row) => [row.id, row]));
    const unclear = payloads.filter(({ turn_id }) => !claims.has(turn_id));
    const stored = await this.stored(unclear.map(({ turn_id }) => turn_id));
    return payloads.map((payload) => {
      const { turn_id } = payload;
      const claim = claims.get(turn_id);
      if (claim?.state === 'running') {
        const { input, session_id, past, summary, state: _state, ...tried } = claim;
        return { state: 'claimed', input, session_id, memory: { past: pastOf(past ?? []), summary }, tried };
      }
      if (claim) return { state: 'waiting' };
      const row = stored.get(turn_id);
      // Without a row there is nothing left to run.
      return row ? outcomeOf(row) : { state: 'ended' };
    });
  }

  private async stored(turnIds: string[]): Promise<Map<string, StoredRow>> {
    if (turnIds.length === 0) return new Map();
    const rows = await this.rows<StoredRow>(
      `SELECT id, state, CASE state WHEN 'queued' THEN extract(epoch FROM due_at - now()) * 1000 END AS delay_ms
         FROM engine.turn WHERE id = ANY($1)`,
      [turnIds],
    );
    return new Map(rows.map((row) => [row.id, row]));
  }

  private async rows<T>(sql: string, parameters: unknown[]): Promise<T[]> {
    return (await this.db.query(sql, parameters)) as T[];
  }
}

function pastOf(rows: PastRow[]): WindowTurn[] {
  return rows.flatMap(({ app_id, input: stored, ...turn }) => {
    const input = wholeInput({ app_id, input: stored });
    return input ? [{ ...turn, input }] : [];
  });
}

/** Whether the router hands it over. Otherwise the engine enqueues a turn that it already has. */
export function isHandover(payload: TurnRunPayload): boolean {
  return payload.message_id !== undefined;
}

function isOfSession(payload: TurnRunPayload): payload is Arrival {
  return Boolean(payload.session);
}

function heldEntry(
  { receipt_id, organization_id, project_id, app_id, turn_id }: TurnRunPayload,
  reason: 'session_busy' | 'workflow_held',
): JournalEntry {
  const subject = { receipt_id, organization_id, project_id, app_id, subject_id: turn_id };
  return { ...subject, stage: 'turn', outcome: 'held', reason };
}

function outcomeOf({ state, delay_ms }: StoredRow): Exclude<ClaimOutcome, { state: 'claimed' }> {
  if (state === 'waiting_approval' || state === 'waiting' || state === 'held') return { state: 'waiting' };
  if (state !== 'queued' && state !== 'running') return { state: 'ended' };
  const delayMs = Number(delay_ms ?? 0);
  return state === 'queued' && delayMs > 0 ? { state: 'rescheduled', delayMs } : { state: 'leased' };
}
