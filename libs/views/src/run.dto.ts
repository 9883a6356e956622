import {
  type ScopeColumns,
  type TurnReply,
  type WorkflowStepKind,
  workflowStepKinds,
  workflowStepStates,
} from '#libs/contracts';
import { LaggingPageOf } from '#libs/list-reads';
import { idOf, time } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';

/**
 * `suspended`: its workflow is suspended, or it waits for more messages. `queued`: it waits for its first or next
 * attempt; `running`: it is being worked on. `waiting`: something it needs is unavailable or has not come, named by `reason`.
 * `waiting_approval`: a person has to decide before it continues.
 */
export const runStates = [
  'suspended',
  'queued',
  'running',
  'waiting',
  'waiting_approval',
  'succeeded',
  'failed',
  'cancelled',
  'timed_out',
] as const;
export type RunState = (typeof runStates)[number];

/** One run of a workflow for one message: its last turn, as people see it. */
export interface RunRow extends ScopeColumns {
  id: string;
  workflow_id: number;
  /** Null when the message named the workflow itself. */
  trigger_id: string | null;
  message_id: string;
  receipt_id: string;
  replay: boolean;
  rehearsal: boolean;
  replay_of: string | null;
  state: RunState;
  error: string | null;
  reply: TurnReply['reply'] | null;
  /** What the reply lacks, or why there is none; while it waits, what for. */
  reason: string | null;
  /** When a `waiting` run fails. */
  waiting_until: Date | null;
  created_at: Date;
  finished_at: Date | null;
}

export class RunView implements RunRow {
  @ApiProperty(idOf('run')) id: string;
  @ApiProperty(idOf('org')) organization_id: string;
  @ApiProperty(idOf('prj')) project_id: string;
  @ApiProperty({ type: 'integer' }) workflow_id: number;
  @ApiProperty({ ...idOf('trg'), nullable: true, description: 'Null: the message named the workflow itself' })
  trigger_id: string | null;
  @ApiProperty(idOf('msg')) message_id: string;
  @ApiProperty({ ...idOf('evt'), description: 'The event that started it' }) receipt_id: string;
  @ApiProperty() replay: boolean;
  @ApiProperty({ description: 'A replay without delivery: calls that would change something are not made' })
  rehearsal: boolean;
  @ApiProperty({ ...idOf('run'), nullable: true, description: 'The run that this one repeats' }) replay_of:
    string | null;
  @ApiProperty({ enum: runStates }) state: RunState;
  @ApiProperty({ type: String, nullable: true }) error: string | null;
  @ApiProperty({ type: String, enum: ['sent', 'none'], nullable: true, description: 'Null until it has ended' })
  reply: RunRow['reply'];
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'What the reply lacks, or why there is none; while it waits: what for',
  })
  reason: string | null;
  @ApiProperty({ ...time, nullable: true, description: 'When it fails if it still waits' })
  waiting_until: Date | null;
  @ApiProperty(time) created_at: Date;
  @ApiProperty({ ...time, nullable: true }) finished_at: Date | null;
}

export class RunPage extends LaggingPageOf(RunView) {}

export class RunDelivery {
  @ApiProperty({ ...idOf('dlv'), description: 'As under /api/v1/deliveries' }) id: string;
  @ApiProperty({ enum: ['answer', 'failure_notice'] }) kind: string;
  @ApiProperty({ enum: ['open', 'taken', 'delivered', 'dead', 'unknown', 'expired'] }) state: string;
}

export class RunWait {
  @ApiProperty({ description: 'Code of what is unavailable' }) reason: string;
  @ApiProperty({ type: String, nullable: true, description: 'The reason in words' }) text: string | null;
  @ApiProperty({ format: 'date-time' }) since: string;
  @ApiProperty({ format: 'date-time', description: 'When the turn fails if it is still unavailable' }) until: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) next_try_at: string | null;
}

export class RunTurn {
  @ApiProperty(idOf('trn')) id: string;
  @ApiProperty({ description: 'Where its steps are' }) url: string;
  @ApiProperty() state: string;
  @ApiProperty({ type: String, nullable: true }) error: string | null;
  @ApiProperty({ type: String, enum: ['sent', 'none'], nullable: true }) reply: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'What the reply lacks, or why there is none' })
  reason: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Its error or reason in words' }) reason_text:
    string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Its answer, whether it was sent or not' }) reply_text:
    string | null;
  @ApiProperty({ type: RunWait, nullable: true }) waiting: RunWait | null;
  @ApiProperty({ type: [RunDelivery] }) deliveries: RunDelivery[];
  @ApiProperty({ type: 'integer' }) redrives: number;
  @ApiProperty({ ...time, nullable: true }) finished_at: Date | null;
}

export class RunOutputProblem {
  @ApiProperty({ description: 'JSON Pointer (RFC 6901) to the value; empty: the whole answer' }) pointer: string;
  @ApiProperty({ description: 'What is wrong with it' }) message: string;
}

/** `not_done`: the run ended before it. */
export const runStepStates = [...workflowStepStates, 'not_done'] as const;

/** A step of a run whose workflow declares steps. */
export class RunStep {
  @ApiProperty() name: string;
  @ApiProperty({ enum: workflowStepKinds }) kind: WorkflowStepKind;
  @ApiProperty({
    enum: runStepStates,
    description:
      'waiting: for a person or an event; skipped: its condition is not met; dead: it failed; not_done: the run ended before',
  })
  state: (typeof runStepStates)[number];
  @ApiProperty({ type: 'integer', description: 'How often it was begun' }) tries: number;
  @ApiProperty({ type: String, nullable: true, description: 'Why it failed, is tried again, or was skipped: a code' })
  reason: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'The reason in words' }) reason_text: string | null;
  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true, description: 'What it works on' })
  input: Record<string, unknown> | null;
  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true, description: 'What later steps read' })
  output: Record<string, unknown> | null;
  @ApiProperty({ ...idOf('wai'), nullable: true, description: 'While it waits for an event: the wait' }) wait_id:
    string | null;
  @ApiProperty({ ...time, nullable: true }) started_at: Date | null;
  @ApiProperty({ ...time, nullable: true }) finished_at: Date | null;
}

/** A run with what it led to. */
export class RunDetailView extends RunView {
  @ApiProperty({ type: String, nullable: true, description: 'Answer of its last turn; null until there is one' })
  reply_text: string | null;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'Its answer as a value, where the workflow declares an output schema; null: none, or not yet',
  })
  output: Record<string, unknown> | null;
  @ApiProperty({
    type: [RunOutputProblem],
    nullable: true,
    description: 'For a run that failed with output_invalid: where its answer does not hold to the schema',
  })
  output_problems: RunOutputProblem[] | null;
  @ApiProperty({
    type: [RunStep],
    nullable: true,
    description: 'Of its last turn, as its workflow declared them when it began; null: it declared none',
  })
  steps: RunStep[] | null;
  @ApiProperty({ type: [RunDelivery], description: 'Deliveries of all its turns' }) deliveries: RunDelivery[];
  @ApiProperty({ type: [RunTurn], description: 'Oldest first; more than one if it was retried' }) turns: RunTurn[];
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'What is missing from this answer, and why; null: nothing',
  })
  incomplete: string | null;
}
