import {
  columnsOf,
  type ContentTrust,
  derivedId,
  type ProjectScope,
  type ToolGrade,
  type TurnInput,
  turnRun,
} from '#libs/contracts';
import { storableJson } from '#libs/database';
import { JobClient } from '#libs/queue';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { Agent } from '../../entities/agent.entity.js';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { calledAppOf, type Turn, turnJobOf, wholeInput } from '../../entities/turn.entity.js';

/** Why a turn waits, for its row. */
export const agentCalledCode = 'agent_called';

/** What a turn asks another agent. */
export interface AgentCall extends ProjectScope {
  /** The turn that asks, and its agent. */
  turnId: string;
  callerAgentId: string;
  /** Identifies the call in that turn, also after a crash. */
  ref: string;
  agentId: string;
  message: string;
  /** The most that the called turn may do. */
  mayDo: ToolGrade;
  /** The trust of what the calling model was shown. */
  window: ContentTrust;
}

/**
 * Turns that agents ask each other for. A called turn is a row of its own, claimed, retried and ended like all others,
 * with an id that follows from the call: so a caller that is taken over finds the turn that it has begun. The caller
 * gives up its lease meanwhile.
 */
@Injectable()
export class AgentCalls {
  constructor(
    private readonly db: DataSource,
    private readonly jobs: JobClient,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  /** Of these agents, those that exist. */
  async named(owner: ProjectScope, ids: string[]): Promise<Pick<Agent, 'id' | 'name'>[]> {
    if (ids.length === 0) return [];
    return this.db.manager.find(Agent, {
      select: { id: true, name: true },
      where: { ...columnsOf(owner), id: In(ids) },
    });
  }

  /**
   * The called turn, which is stored and enqueued if it is new.
   * @returns why there is none: the caller no longer runs, or an event has led to as many as it may
   */
  async begin(call: AgentCall): Promise<Turn | 'caller_ended' | 'too_many'> {
    const id = calledTurnId(call.turnId, call.ref);
    const [known] = (await this.db.query('SELECT * FROM engine.turn WHERE id = $1', [id])) as Turn[];
    if (known) return known;
    const [caller] = (await this.db.query(
      `SELECT app_id, input, (SELECT count(*)::integer FROM engine.turn a WHERE a.receipt_id = t.receipt_id AND a.called_by IS NOT NULL) AS asked
         FROM engine.turn t WHERE id = $1`,
      [call.turnId],
    )) as (Pick<Turn, 'app_id' | 'input'> & { asked: number })[];
    const input = caller ? wholeInput(caller) : null;
    if (!caller || !input) return 'caller_ended';
    if (caller.asked >= this.settings.AGENT_CALLS_PER_EVENT) return 'too_many';
    // The share lock lets a cancellation of the caller see the called turn, or this statement see the cancellation.
    const [made] = (await this.db.query(
      `WITH caller AS (SELECT * FROM engine.turn WHERE id = $2 AND state = 'running' FOR SHARE)
       INSERT INTO engine.turn (id, organization_id, project_id, app_id, receipt_id, agent_id, epoch, input, called_by)
       SELECT $1, c.organization_id, c.project_id, $3, c.receipt_id, $4, 0, $5::jsonb, c.id FROM caller c
       ON CONFLICT (id) DO UPDATE SET called_by = excluded.called_by RETURNING *`,
      [id, call.turnId, calledAppOf(call.projectId), call.agentId, storableJson(inputOf(call, input))],
    )) as Turn[];
    if (made) void this.jobs.enqueue(turnRun, turnJobOf(made));
    return made ?? 'caller_ended';
  }

  /** Has a waiting turn go on once none of those that it called is open. */
  async wake(callerId: string): Promise<void> {
    const [rows] = (await this.db.query(
      `UPDATE engine.turn t SET due_at = now()
        WHERE id = $1 AND state = 'queued' AND reason = $2 AND due_at > now()
          AND NOT EXISTS (SELECT FROM engine.turn c WHERE c.called_by = t.id AND c.ended_at IS NULL)
       RETURNING *`,
      [callerId, agentCalledCode],
    )) as [Turn[], number];
    for (const turn of rows) void this.jobs.enqueue(turnRun, turnJobOf(turn));
  }

  /** For a turn that has ended. Should this fail, its caller looks again by itself. */
  async wakeCallerOf({ called_by: caller }: Pick<Turn, 'called_by'>): Promise<void> {
    if (caller !== null) await this.wake(caller).catch(() => undefined);
  }

  /** The turns that a turn has called, in the order of their calls. */
  async of(turnId: string): Promise<Turn[]> {
    return (await this.db.query('SELECT * FROM engine.turn WHERE called_by = $1 ORDER BY created_at, id', [
      turnId,
    ])) as Turn[];
  }
}

export function calledTurnId(turnId: string, ref: string): string {
  return derivedId('trn', turnId, `call ${ref}`);
}

/**
 * What the called turn works on. It has the rights of the sender whose message is answered, and no more than the call;
 * what it is asked is trusted no further than what the calling model was shown.
 */
function inputOf(call: AgentCall, caller: TurnInput): TurnInput {
  const { verified, trust, text_from, started_by, contact_id, rehearsal, called_by: before } = caller;
  return {
    message: {
      event_type: 'agent_call',
      sender: `agent:${call.callerAgentId}`,
      message: call.message,
      is_bot: true,
      // The answer goes where that of the caller goes.
      ...(caller.message.is_dm === undefined ? {} : { is_dm: caller.message.is_dm }),
    },
    verified,
    instructions: null,
    reply: null,
    ...(trust === undefined ? {} : { trust }),
    ...(text_from === undefined ? {} : { text_from }),
    ...(started_by === undefined ? {} : { started_by }),
    ...(contact_id === undefined ? {} : { contact_id }),
    ...(rehearsal === undefined ? {} : { rehearsal }),
    called_by: {
      turn_id: call.turnId,
      call_ref: call.ref,
      agents: [...(before?.agents ?? []), call.callerAgentId],
      may_do: call.mayDo,
      window: call.window,
    },
  };
}
