import {
  type AskedWait,
  type AwaitedEvent,
  type ContentTrust,
  derivedId,
  scopeOf,
  type WaitAnswer,
  type WorkflowStep,
} from '#libs/contracts';
import { waitReadsOf } from '#libs/expressions';
import { Problem, ServiceClient } from '#libs/service-kit';
import { LeaseLost } from '#libs/work';
import { Inject, Injectable } from '@nestjs/common';
import type { Turn, WorkflowStepRow } from '../../entities/turn.entity.js';
import { trustOfInput } from '../prompt/prompt.js';
import { stepInputOf } from '../steps/step.repository.js';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import type { StepOfRun, SuspendedTurn } from './turn-setup.service.js';
import { TurnRepository } from './turn.repository.js';

/** A run about whose wait the router cannot say anything looks again after this time. */
const routerAwayMs = 5_000;

/** What a step came to that waits for an event. */
export type Awaited =
  | SuspendedTurn
  | { is: boolean; output: Record<string, unknown>; trust: ContentTrust }
  | { failed: string; why: string };

/** What a step waits for, and until when: decided when it begins, and shown with it. */
export function waitedFor(step: WorkflowStep): Record<string, unknown> {
  const { kind: _kind, name: _name, only_if: _if, wait_minutes: minutes = 1, ...what } = step;
  return { on_timeout: 'fail', ...what, until: new Date(Date.now() + minutes * 60_000).toISOString() };
}

/** Steps that wait for an event. The router knows what arrives, so it decides; a step asks it as often as it likes. */
@Injectable()
export class AwaitedEvents {
  constructor(
    private readonly router: ServiceClient,
    private readonly turns: TurnRepository,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  /**
   * Stores the wait at the router if it is new, and says what has become of it.
   * @param row as the step was begun
   * @throws LeaseLost
   */
  async ask(work: StepOfRun, row: WorkflowStepRow): Promise<Awaited> {
    const { claim, payload, step } = work;
    const turn = await this.turns.byId(claim.turn_id);
    if (!turn) throw new LeaseLost('the turn is no longer kept');
    try {
      const path = `/internal/event-waits/${waitIdOf(row)}`;
      const { state, event } = await this.router.put<WaitAnswer>(path, scopeOf(payload), askedBy(work, row, turn));
      if (state === 'waiting') return suspendedFor(row, this.settings.EVENT_WAIT_LOOK_MS);
      if (state === 'cancelled') return { failed: 'wait_cancelled', why: 'a person cancelled the wait' };
      if (state === 'fulfilled')
        return event ? fulfilledBy(event) : { failed: 'event_gone', why: 'the event is no longer kept' };
      if (step.on_timeout === 'go_on') return { is: false, output: { is: false, timed_out: true }, trust: 'own' };
      return { failed: 'wait_timed_out', why: `no event came until ${String(row.input?.['until'])}` };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return error.status < 500 ? { failed: error.code, why: error.detail } : suspendedFor(row, routerAwayMs);
    }
  }
}

/** Its wait at the router. A step that failed and was begun again waits anew. */
export function waitIdOf({ turn_id, position, claim }: WorkflowStepRow): string {
  return derivedId('wai', turn_id, `${position}.${claim}`);
}

function askedBy({ run, step, before }: StepOfRun, { input }: WorkflowStepRow, turn: Turn): AskedWait {
  const { app_id = null, event_type = null, where = null } = step;
  return {
    turn_id: turn.id,
    run_id: turn.run_id ?? turn.id,
    workflow_id: turn.workflow_id ?? 0,
    message_id: turn.message_id,
    step: step.name,
    app_id,
    event_type,
    where,
    given: waitReadsOf(where, stepInputOf(run.input, before)),
    // A rehearsal takes no event from others.
    consume: step.consume === true && !run.input.rehearsal,
    since: step.since_begin ? turn.created_at.toISOString() : null,
    until: String(input?.['until']),
  };
}

/** The event as later expressions read it, and how far it is trusted. */
function fulfilledBy({ id, app_id, message, ...facts }: AwaitedEvent): Awaited {
  const { event, metadata } = stepInputOf({ message, ...facts }, []);
  const trust = trustOfInput({ message, instructions: null, reply: null, ...facts });
  return { is: true, output: { is: true, timed_out: false, event: { id, app_id, ...event }, metadata }, trust };
}

function suspendedFor({ name, input }: WorkflowStepRow, lookMs: number): SuspendedTurn {
  return { waitsFor: [name], on: 'event', lookMs, detail: { step: name, ...input } };
}
