import type { Schema } from '../../api/client.js';
import { ApiProblem } from '../../api/problem.js';
import { stepTexts } from '../../texts/workflow-steps.js';
import { type DraftObject, objectToSave } from './json-object-field.js';

type SavedStep = Schema<'WorkflowStepFields'>;
export type StepKind = SavedStep['kind'];

/** A step as it is typed: its arguments need not be JSON yet. */
export interface StepDraft extends Omit<SavedStep, 'arguments'> {
  arguments?: DraftObject;
}

export const stepKinds = ['agent', 'tool', 'approval', 'branch', 'wait'] as const satisfies readonly StepKind[];
export const mostSteps = 20;

/** Whether it answers yes or no, so that later steps may depend on it. */
export const decides = ({ kind }: StepDraft): boolean => kind === 'approval' || kind === 'branch' || kind === 'wait';

const keys = new WeakMap<StepDraft, string>();
let made = 0;

/** It stays while the step is edited and moved, so that its fields keep the focus and an error stays at its step. */
export function keyOf(step: StepDraft): string {
  const known = keys.get(step);
  if (known !== undefined) return known;
  made += 1;
  keys.set(step, String(made));
  return String(made);
}

function changed(step: StepDraft, patch: Partial<StepDraft>): StepDraft {
  const next = { ...step, ...patch };
  keys.set(next, keyOf(step));
  return next;
}

const begun: Readonly<Record<StepKind, Partial<StepDraft>>> = {
  agent: { instructions: '' },
  tool: { tool: '' },
  approval: { text: '' },
  branch: { where: '' },
  wait: { wait_minutes: 1_440, on_timeout: 'fail' },
};

export function newStep(steps: readonly StepDraft[], kind: StepKind): StepDraft {
  const names = Array.from({ length: steps.length + 1 }, (_, index) => `${kind}_${index + 1}`);
  const name = names.find((one) => steps.every((step) => step.name !== one)) ?? kind;
  return { name, kind, ...begun[kind] };
}

/** Steps that depend on one follow its new name. */
export function edited(steps: readonly StepDraft[], index: number, patch: Partial<StepDraft>): StepDraft[] {
  const before = steps[index]?.name;
  const { name } = patch;
  const follows = name !== undefined && steps.filter((step) => step.name === before).length === 1;
  return steps.map((step, at) => {
    if (at === index) return changed(step, patch);
    const { only_if: on } = step;
    return follows && on && on.step === before ? changed(step, { only_if: { step: name, is: on.is } }) : step;
  });
}

/** With the one after it. */
export function swapped(steps: readonly StepDraft[], index: number): StepDraft[] {
  return [...steps.slice(0, index), ...steps.slice(index, index + 2).reverse(), ...steps.slice(index + 2)];
}

/** Later steps that are done only if this one gives the answer. */
export function targetsOf(steps: readonly StepDraft[], index: number, is: boolean): StepDraft[] {
  const name = steps[index]?.name;
  return steps.slice(index + 1).filter(({ only_if: on }) => on?.step === name && on?.is === is);
}

/** @param chosen keys of the later steps that are done only if this one gives the answer */
export function withTargets(
  steps: readonly StepDraft[],
  index: number,
  is: boolean,
  chosen: readonly string[],
): StepDraft[] {
  const name = steps[index]?.name ?? '';
  const before = targetsOf(steps, index, is);
  return steps.map((step, at) => {
    if (at <= index) return step;
    if (chosen.includes(keyOf(step))) return changed(step, { only_if: { step: name, is } });
    return before.includes(step) ? changed(step, { only_if: undefined }) : step;
  });
}

/** @throws Error where the arguments of a call are no JSON object yet */
export function stepsToSave(steps: readonly StepDraft[]): SavedStep[] | null {
  if (steps.length === 0) return null;
  return steps.map(({ arguments: args = null, ...step }) => {
    const read = objectToSave(args, stepTexts.fields.noJson);
    return read === null ? step : { ...step, arguments: read };
  });
}

interface StepError {
  /** Within the step. */
  field: string;
  message: string;
}

/**
 * What the API said of each step, by the step's key.
 * @param sent the keys of the steps that were sent, in their order
 */
export function errorsOfSteps(error: unknown, sent: readonly string[]): Map<string, StepError[]> {
  const found = new Map<string, StepError[]>();
  if (!(error instanceof ApiProblem)) return found;
  for (const { field, message } of error.errors) {
    const [, index, within = ''] = /^steps\.(\d+)(?:\.(.+))?$/.exec(field) ?? [];
    const key = index === undefined ? undefined : sent[Number(index)];
    if (key !== undefined) found.set(key, [...(found.get(key) ?? []), { field: within, message }]);
  }
  return found;
}

const formFields =
  'name only_if agent_id instructions tool arguments text approvers wait_minutes where app_id event_type on_timeout consume since_begin'.split(
    ' ',
  );

/** Whether a field of the form shows it. */
export const isInForm = ({ field }: StepError): boolean => formFields.includes(field.split('.')[0] ?? '');

/** The error of a field, or of a part of it. */
export const errorAt = (errors: readonly StepError[], field: string): string | undefined =>
  errors.find((wrong) => wrong.field === field || wrong.field.startsWith(`${field}.`))?.message;
