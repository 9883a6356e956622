import {
  onTimeouts,
  type OnTimeout,
  type StepCondition,
  type WorkflowStep,
  type WorkflowStepKind,
  workflowStepKinds,
} from '#libs/contracts';
import { Flag, JsonObject, Name, Nested, OneOf, Text, TextList, Whole } from '#libs/service-kit';

class StepConditionFields implements StepCondition {
  @Text(40, { description: 'An earlier step that answers yes or no: a branch, an approval or a wait' }) step: string;
  @Flag({ description: 'The answer with which this step is done; with any other it is skipped' }) is: boolean;
}

const minutesOfMonth = 43_200;

/** A step as its author declares it. `requireSteps` checks what its kind needs. */
export class WorkflowStepFields implements WorkflowStep {
  @Name(40, { description: 'Unique in the workflow: a lower-case letter, then lower-case letters, digits and _' })
  name: string;
  @OneOf(workflowStepKinds) kind: WorkflowStepKind;
  @Nested(StepConditionFields, { optional: true, description: 'Absent: it is done in any case' })
  only_if?: StepCondition;
  @Text(20_000, { optional: true, description: 'agent: in addition to the instructions of the workflow' })
  instructions?: string;
  @Text(100, { optional: true, description: "agent, tool: in place of the workflow's agent" }) agent_id?: string;
  @Text(200, { optional: true, minLength: 1, description: 'tool: its name, as the agent has it' }) tool?: string;
  @JsonObject({
    optional: true,
    description:
      'tool: its arguments. In place of any value `{"cel": "<expression>"}`: the value of a CEL expression over event, metadata and steps',
  })
  arguments?: object;
  @Text(2_000, {
    optional: true,
    description:
      'branch: a CEL expression over event, metadata and steps. wait: one over event, metadata and request of what arrives, and run and steps',
  })
  where?: string;
  @Text(2_000, { optional: true, minLength: 1, description: 'approval: what the person is asked' }) text?: string;
  @TextList(20, 100, {
    optional: true,
    description:
      "approval: who may decide (key:<id>, user:<id>, contact:<id>), in place of the approvers of the workflow's agent",
  })
  approvers?: string[];
  @Whole(1, minutesOfMonth, {
    optional: true,
    description: 'approval: how long it waits; default APPROVAL_WAIT_MS. wait: how long it waits',
  })
  wait_minutes?: number;
  @Text(100, { optional: true, minLength: 1, description: 'wait: an event of this App; absent: of any' })
  app_id?: string;
  @Text(480, { optional: true, minLength: 1, description: 'wait: an event of this type; absent: of any' })
  event_type?: string;
  @OneOf(onTimeouts, {
    optional: true,
    description: 'wait: without an event the run fails (default), or goes on, and the step answers no',
  })
  on_timeout?: OnTimeout;
  @Flag({ optional: true, description: 'wait: the event starts nothing else; default false: it is routed as usual' })
  consume?: boolean;
  @Flag({
    optional: true,
    description:
      'wait: an event counts too that came before, since the run began, at most EVENT_WAIT_BEFORE_MS before; default false',
  })
  since_begin?: boolean;
}
