import type { ProjectScope, TurnRunPayload, WaitHeard } from '#libs/contracts';
import type { ServiceClient } from '#libs/service-kit';
import type { RunDetailView, RunRow } from '#libs/views';
import { Inject, Injectable } from '@nestjs/common';
import { ENGINE } from '../../env.js';

/** The progress of a redrive. `under_way`: the turn waits or runs. `gone`: the turn is no longer stored. */
export type TurnRedrive = { is: 'under_way' } | { is: 'gone' } | { is: 'ended'; outcome: string };

/** A turn that an event started. */
export interface EventTurnLink {
  id: string;
  state: string;
  /** Null from an engine of an earlier release, too. */
  message_id: string | null;
  run_id: string | null;
  session_id: string | null;
  collected_into: string | null;
}

/** What an event led to, oldest first. */
export interface EventRuns {
  runs: RunRow[];
  turns: EventTurnLink[];
}

/** Runs and turns, which the engine owns. All methods throw Problem 503 when it does not answer. */
@Injectable()
export class EngineRuns {
  constructor(@Inject(ENGINE) private readonly engine: ServiceClient) {}

  /** Has the engine take turns of runs before their jobs arrive. */
  async accept(scope: ProjectScope, turns: TurnRunPayload[]): Promise<void> {
    await this.engine.post('/internal/runs', scope, { turns });
  }

  get(scope: ProjectScope, id: string): Promise<RunDetailView> {
    return this.engine.get(`/internal/runs/${encodeURIComponent(id)}`, scope);
  }

  ofReceipt(scope: ProjectScope, receiptId: string): Promise<EventRuns> {
    return this.engine.get(`/internal/runs?receipt_id=${encodeURIComponent(receiptId)}`, scope);
  }

  /** Releases the runs that waited for a workflow. @param at when it became active */
  async release(scope: ProjectScope, workflowId: number, at: Date): Promise<void> {
    await this.engine.post(`/internal/workflows/${workflowId}/release`, scope, { at: at.toISOString() });
  }

  /** Ends the runs that wait for a workflow. @param at when they were discarded @returns how many */
  async discard(scope: ProjectScope, workflowId: number, at: Date): Promise<number> {
    const path = `/internal/workflows/${workflowId}/discard`;
    return (await this.engine.post<{ discarded: number }>(path, scope, { at: at.toISOString() })).discarded;
  }

  /** Reopens a failed turn for a dead letter; called again, reports its progress. @param by who asked for it */
  redrive(scope: ProjectScope, turnId: string, done: number, by: string | null): Promise<TurnRedrive> {
    const path = `/internal/turns/${encodeURIComponent(turnId)}/redrive`;
    return this.engine.post(path, scope, { done, ...(by === null ? {} : { by }) });
  }

  /** Has a run go on whose wait has ended. */
  waitEnded(scope: ProjectScope, turnId: string, waitId: string): Promise<WaitHeard> {
    const path = `/internal/turns/${encodeURIComponent(turnId)}/wait-ended`;
    return this.engine.post(path, scope, { wait_id: waitId });
  }
}
