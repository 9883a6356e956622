/**
 * `agent`: an agent works on the message. `tool`: a tool is called, with these arguments. `approval`: a person decides.
 * `branch`: an expression says which of the later steps are done. `wait`: the run goes on when an event arrives.
 */
export const workflowStepKinds = ['agent', 'tool', 'approval', 'branch', 'wait'] as const;
export type WorkflowStepKind = (typeof workflowStepKinds)[number];

/** Answers yes or no, so later steps may depend on it. A wait answers yes where its event came in time. */
export const decidingKinds: readonly WorkflowStepKind[] = ['approval', 'branch', 'wait'];

/** What a run does where the event that it waits for has not come in time. */
export const onTimeouts = ['fail', 'go_on'] as const;
export type OnTimeout = (typeof onTimeouts)[number];

/** A step is done only where an earlier one answered so. */
export interface StepCondition {
  step: string;
  is: boolean;
}

/** A step of a workflow, as its author declares it. Which of the optional fields it has depends on its kind. */
export interface WorkflowStep {
  /** Unique in its workflow. */
  name: string;
  kind: WorkflowStepKind;
  /** Absent: it is done in any case. */
  only_if?: StepCondition;
  /** `agent`: in addition to those of the workflow. */
  instructions?: string;
  /** `agent`: who does it. `tool`: whose tool, and whose rights. Absent: the workflow's agent. */
  agent_id?: string;
  /** `tool`: its name, as the agent has it. */
  tool?: string;
  /** `tool`: values, and in place of a value `{"cel": "<expression>"}`. */
  arguments?: object;
  /** `branch`: an expression (CEL) that is true or false. `wait`: which event, as a condition over it and the run. */
  where?: string;
  /** `approval`: what the person is asked. */
  text?: string;
  /** `approval`: who may decide, in place of the approvers of the workflow's agent. */
  approvers?: string[];
  /** `approval`: how long it waits. Absent: as long as for a call. `wait`: how long it waits. */
  wait_minutes?: number;
  /** `wait`: an event of this App. Absent: of any. */
  app_id?: string;
  /** `wait`: an event of this type. Absent: of any. */
  event_type?: string;
  /** `wait`: absent: `fail`. */
  on_timeout?: OnTimeout;
  /** `wait`: the event is not routed as usual. Absent: it is. */
  consume?: boolean;
  /** `wait`: an event that came before, since the run began, counts too. Absent: it does not. */
  since_begin?: boolean;
}

/** `skipped`: its condition is not met. `dead`: it failed for good. */
export const workflowStepStates = ['queued', 'running', 'waiting', 'done', 'skipped', 'dead'] as const;
export type WorkflowStepState = (typeof workflowStepStates)[number];

/** Whether an argument is an expression. */
export function isExpression(value: unknown): value is { cel: string } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { cel, ...rest } = value as Record<string, unknown>;
  return typeof cel === 'string' && Object.keys(rest).length === 0;
}

/** Whether a later step depends on what a step answers: then the answer no ends no run. */
export function isDependedOn(steps: readonly WorkflowStep[], name: string): boolean {
  return steps.some(({ only_if: condition }) => condition?.step === name);
}
