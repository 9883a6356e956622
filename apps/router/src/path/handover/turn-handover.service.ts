import { type TurnInput, type TurnOfRun, turnRun, type TurnRunPayload } from '#libs/contracts';
import { Database, Liveness, type Queryable, Sweeping } from '#libs/database';
import { Handovers } from '#libs/journal';
import { JobClient } from '#libs/queue';
import { Inject, Injectable, Logger } from '@nestjs/common';
import {
  type MessageRow,
  type Packed,
  type StoredMessage,
  type StoredTarget,
  type Target,
  unpacked,
} from '../../entities/message.entity.js';
import { defaultFailureNotice, defaultLimitNotice } from '../../entities/rules.entity.js';
import { type RouterSettings, SETTINGS } from '../../env.js';

const sweepEveryMs = 3_000;
const sweepBatch = 500;

const routedSql = `
  SELECT m.routed_at::text AS at, t ->> 'turn_id' AS subject_id, m.id AS owner_id, m.receipt_id
    FROM router.message m CROSS JOIN LATERAL jsonb_array_elements(m.turns) AS t
   WHERE m.routed_at > $1 AND m.routed_at <= $2 AND m.turns <> '[]' ORDER BY m.routed_at LIMIT $3`;

/** Hands turns over to the engine, and again those that it has not taken. */
@Injectable()
export class TurnHandover extends Sweeping {
  private readonly logger = new Logger('turn.handover');
  private readonly handovers: Handovers<TurnRunPayload>;

  constructor(
    private readonly db: Database,
    private readonly jobs: JobClient,
    losses: Liveness,
    @Inject(SETTINGS) private readonly settings: RouterSettings,
  ) {
    super();
    const source = {
      schema: 'router',
      applicationName: 'router',
      stage: 'turn',
      owners: 'router.message',
      sql: routedSql,
    } as const;
    this.handovers = new Handovers(db, losses, { ...source, leaseMs: settings.TURN_LEASE_MS });
    this.sweepEvery({
      name: 'turns',
      everyMs: sweepEveryMs,
      batch: sweepBatch,
      losses,
      afterLoss: () => this.handovers.expedite(),
      sweep: (limit) => this.republish(limit),
    });
  }

  /** Enqueues turns; those that Redis does not take are left to the sweep. */
  enqueue(turns: WholeTurn[]): void {
    for (const turn of turns) void this.jobs.enqueue(turnRun, this.jobOf(turn));
  }

  /** Stores turns that their message's row does not contain, until the engine has taken them. */
  keep(tx: Queryable, turns: WholeTurn[]): Promise<void> {
    const rows = turns.map((turn) => ({
      subject_id: turn.turn_id,
      owner_id: turn.message_id ?? '',
      receipt_id: turn.receipt_id,
      payload: turn,
    }));
    return this.handovers.keep(tx, rows);
  }

  /** A turn as it was handed over, for the engine when its job did not contain the input. */
  async turn(messageId: string, turnId: string): Promise<TurnRunPayload | null> {
    return (await this.handovers.payloadOf(turnId)) ?? (await this.turnOfRow(messageId, turnId));
  }

  private async republish(limit: number): Promise<number> {
    const behindMs = await this.jobs.behindMs(turnRun.queue);
    const passed = await this.handovers.find(limit, behindMs);
    const due = await this.handovers.due(limit, behindMs);
    const named = due.filter(({ payload }) => payload === null);
    const rows = await this.rowsOf([...new Set(named.map(({ owner_id }) => owner_id))]);
    const turns = new Map(rows.flatMap((row) => this.turnsOf(row)));
    for (const { subject_id, payload } of due) {
      const turn = payload ?? turns.get(subject_id);
      if (turn) void this.jobs.enqueue(turnRun, { ...this.jobOf(turn), custody: { resent: true } });
    }
    return Math.max(passed, due.length);
  }

  /** @throws Error where its message cannot be unpacked, so that the engine asks again: another router may be newer */
  private async turnOfRow(messageId: string, turnId: string): Promise<WholeTurn | null> {
    const [row] = await this.rowsOf([messageId]);
    return (row && new Map(turnsIn(row)).get(turnId)) ?? null;
  }

  /** @returns none of a message that cannot be unpacked: those of the others are handed over nevertheless */
  private turnsOf(row: Packed<StoredMessage>): [string, WholeTurn][] {
    try {
      return turnsIn(row);
    } catch (error) {
      this.logger.error({ event: 'message.unreadable', message_id: row.id, error: String(error) });
      return [];
    }
  }

  private async rowsOf(messageIds: string[]): Promise<Packed<StoredMessage>[]> {
    if (messageIds.length === 0) return [];
    return (await this.db.query('SELECT * FROM router.message WHERE id = ANY($1)', [
      messageIds,
    ])) as Packed<StoredMessage>[];
  }

  private jobOf(turn: TurnRunPayload): TurnRunPayload {
    if (JSON.stringify(turn.input ?? null).length <= this.settings.INLINE_LIMIT_BYTES) return turn;
    const { input: _input, ...rest } = turn;
    return rest;
  }
}

/** By their ids. */
function turnsIn(row: Packed<StoredMessage>): [string, WholeTurn][] {
  const message = unpacked<StoredMessage>(row);
  return message.turns.map((target) => [target.turn_id, turnOf(message, targetOf(target))]);
}

/** A target as its message's row has it, which a router of the release before hands over without the usual words. */
export function storedTarget({ turn_id, run, session, agent_id, held, input }: Target): StoredTarget {
  const { failure_notice: notice, limit_words: words, ...rest } = input;
  const isUsual = notice === defaultFailureNotice && words === defaultLimitNotice;
  return {
    turn_id,
    ...(run ? { run: runWithout(run) } : {}),
    ...(session ? { session } : {}),
    ...(agent_id === null ? {} : { agent_id }),
    ...(held ? { held } : {}),
    input: isUsual ? { ...rest, usual_words: true } : input,
  };
}

function runWithout({ id, workflow_id, trigger_id, replay, replay_of }: TurnOfRun): StoredTarget['run'] {
  const own = { ...(trigger_id === null ? {} : { trigger_id }), ...(replay ? { replay } : {}) };
  return { id, workflow_id, ...own, ...(replay_of === null ? {} : { replay_of }) };
}

/** What `storedTarget` was made of. A release before this one stored all of it. */
export function targetOf({ turn_id, run, session = null, agent_id = null, held, input }: StoredTarget): Target {
  const { usual_words: usual, ...rest } = input;
  const words = usual ? { failure_notice: defaultFailureNotice, limit_words: defaultLimitNotice } : {};
  return {
    turn_id,
    run: run ? { trigger_id: null, replay: false, replay_of: null, ...run } : null,
    session,
    agent_id,
    ...(held ? { held } : {}),
    input: { ...rest, ...words },
  };
}

export type Owner = Pick<MessageRow, 'id' | 'organization_id' | 'project_id' | 'app_id' | 'receipt_id' | 'message'>;

/** The complete turn that the engine receives. */
export type WholeTurn = TurnRunPayload & { input: TurnInput };

export function turnOf(
  { id: message_id, organization_id, project_id, app_id, receipt_id, message }: Owner,
  { turn_id, run, session, agent_id, held, input }: Target,
): WholeTurn {
  return {
    turn_id,
    organization_id,
    project_id,
    app_id,
    receipt_id,
    message_id,
    run,
    session,
    agent_id,
    ...(held ? { held } : {}),
    input: { ...input, message },
  };
}
