import { decidingKinds, type WorkflowStep, type WorkflowStepKind } from '#libs/contracts';
import { compileStepExpression, compileWaitCondition, expressionsIn } from '#libs/expressions';
import { type FieldError, Problem } from '#libs/service-kit';

export const maxSteps = 20;
/** The definition goes with each run. */
const maxChars = 60_000;

type Field = Exclude<keyof WorkflowStep, 'name' | 'kind' | 'only_if'>;

/** What each kind has besides a name and a condition. */
const fieldsOf: Readonly<Record<WorkflowStepKind, { needs: Field[]; may: Field[] }>> = {
  agent: { needs: ['instructions'], may: ['agent_id'] },
  tool: { needs: ['tool'], may: ['arguments', 'agent_id'] },
  approval: { needs: ['text'], may: ['approvers', 'wait_minutes'] },
  branch: { needs: ['where'], may: [] },
  wait: { needs: ['wait_minutes'], may: ['app_id', 'event_type', 'where', 'on_timeout', 'consume', 'since_begin'] },
};
const ownFields = [...new Set(Object.values(fieldsOf).flatMap(({ needs, may }) => [...needs, ...may]))];

/**
 * Refuses steps that could not be done, whatever the message: each problem names its step, and what is wrong.
 * @param output whether the workflow declares an output schema
 * @throws Problem 422 `invalid_fields`
 */
export function requireSteps(steps: WorkflowStep[] | null | undefined, output: boolean): void {
  const errors = steps ? problemsOf(steps, output) : [];
  if (errors.length > 0) throw new Problem(422, 'invalid_fields', 'Some fields are not valid.', errors);
}

function problemsOf(steps: WorkflowStep[], output: boolean): FieldError[] {
  if (steps.length === 0) return [{ field: 'steps', message: 'Declare at least one step, or null for none.' }];
  const chars = JSON.stringify(steps).length;
  if (chars > maxChars)
    return [{ field: 'steps', message: `They have ${chars} characters as JSON; at most ${maxChars} are allowed.` }];
  const errors = steps.flatMap((step, index) =>
    [...problemsIn(step, steps.slice(0, index))].map(([field, message]) => ({
      field: `steps.${index}.${field}`,
      message: `Step ${index + 1} (${step.name}): ${message}`,
    })),
  );
  const answers = steps.findLastIndex(({ kind }) => kind === 'agent');
  if (output && (answers === -1 || steps[answers]?.only_if)) {
    const message =
      'The last agent step gives the output that the schema describes, so there has to be one, without only_if.';
    errors.push({ field: answers === -1 ? 'steps' : `steps.${answers}.only_if`, message });
  }
  return errors;
}

function* problemsIn(step: WorkflowStep, earlier: WorkflowStep[]): Generator<[field: string, message: string]> {
  const { name, kind, only_if: condition } = step;
  if (!/^[a-z][a-z0-9_]*$/.test(name))
    yield ['name', 'a name is a lower-case letter, then lower-case letters, digits and _.'];
  if (earlier.some((each) => each.name === name)) yield ['name', 'an earlier step has this name.'];
  const { needs, may } = fieldsOf[kind];
  for (const field of needs) if (step[field] === undefined) yield [field, `${withArticle(kind)} step needs it.`];
  for (const field of ownFields)
    if (step[field] !== undefined && !needs.includes(field) && !may.includes(field))
      yield [field, `${withArticle(kind)} step has none.`];
  if (condition) {
    const known = earlier.find((each) => each.name === condition.step);
    if (!known) yield ['only_if.step', `${condition.step} is no earlier step.`];
    else if (!decidingKinds.includes(known.kind))
      yield ['only_if.step', `${condition.step} answers neither yes nor no: it is no branch, approval or wait.`];
  }
  for (const approver of step.approvers ?? [])
    if (!/^(?:key|user|contact):\S+$/.test(approver))
      yield ['approvers', `${approver} is neither key:<id>, user:<id> nor contact:<id>.`];
  if (kind === 'branch' && step.where !== undefined)
    yield* expressionProblems('where', compileStepExpression(step.where, 'bool'), earlier);
  if (kind === 'tool')
    for (const [path, cel] of expressionsIn(step.arguments, 'arguments'))
      yield* expressionProblems(path, compileStepExpression(cel, 'any'), earlier);
  if (kind === 'wait') yield* waitProblems(step, earlier);
}

function* waitProblems(
  { where, app_id, event_type }: WorkflowStep,
  earlier: WorkflowStep[],
): Generator<[string, string]> {
  if (where === undefined && app_id === undefined && event_type === undefined)
    yield ['where', 'say which event: an App, an event type or a condition.'];
  if (where !== undefined) yield* expressionProblems('where', compileWaitCondition(where), earlier);
}

function* expressionProblems(
  field: string,
  compiled: ReturnType<typeof compileStepExpression | typeof compileWaitCondition>,
  earlier: WorkflowStep[],
): Generator<[string, string]> {
  if ('problem' in compiled) {
    const { message, start } = compiled.problem;
    yield [field, `${message.replace(/\.?$/, '')} (at character ${start + 1}).`];
    return;
  }
  for (const read of compiled.expression.reads)
    if (!earlier.some(({ name }) => name === read)) yield [field, `steps.${read} is no earlier step.`];
}

function withArticle(kind: WorkflowStepKind): string {
  return kind === 'agent' || kind === 'approval' ? `an ${kind}` : `a ${kind}`;
}
