import { wordsOfTurnReason } from '#libs/contracts';
import { idOf, PageOf, time } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import type { TurnRow } from '../turns/turn.entity.js';
import { type RunRow, type RunState, runStates } from './run.entity.js';

export class RunView implements RunRow {
  @ApiProperty(idOf('run')) id: string;
  @ApiProperty(idOf('org')) organization_id: string;
  @ApiProperty(idOf('prj')) project_id: string;
  @ApiProperty({ type: 'integer' }) workflow_id: number;
  @ApiProperty({ ...idOf('trg'), nullable: true, description: 'Null: the message named the workflow itself' })
  trigger_id: string | null;
  @ApiProperty(idOf('msg')) message_id: string;
  @ApiProperty({ ...idOf('evt'), description: 'The event that it came of' }) receipt_id: string;
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
    description: 'What the reply lacks or why there is none; for what it waits',
  })
  reason: string | null;
  @ApiProperty({ ...time, nullable: true, description: 'When it fails of what it waits for' })
  waiting_until: Date | null;
  @ApiProperty(time) created_at: Date;
  @ApiProperty({ ...time, nullable: true }) finished_at: Date | null;
}

export class RunPage extends PageOf(RunView) {}

export class RunDelivery {
  @ApiProperty({ ...idOf('dlv'), description: 'As under /api/v1/deliveries' }) id: string;
  @ApiProperty({ enum: ['answer', 'failure_notice'] }) kind: string;
  @ApiProperty({ enum: ['open', 'taken', 'delivered', 'dead', 'unknown'] }) state: string;
}

export class RunWait {
  @ApiProperty({ description: 'Code of what is away' }) reason: string;
  @ApiProperty({ type: String, nullable: true, description: 'The same in words' }) text: string | null;
  @ApiProperty({ format: 'date-time' }) since: string;
  @ApiProperty({ format: 'date-time', description: 'When the turn fails of it' }) until: string;
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
  @ApiProperty({ type: String, nullable: true, description: 'What it answered, sent or not' }) reply_text:
    string | null;
  @ApiProperty({ type: RunWait, nullable: true }) waiting: RunWait | null;
  @ApiProperty({ type: [RunDelivery] }) deliveries: RunDelivery[];
  @ApiProperty({ type: 'integer' }) redrives: number;
  @ApiProperty({ ...time, nullable: true }) finished_at: Date | null;
}

/** A run with what it led to. */
export class RunDetailView extends RunView {
  @ApiProperty({ type: String, nullable: true, description: 'What its last turn answered; null while it has not' })
  reply_text: string | null;
  @ApiProperty({ type: [RunDelivery], description: 'Of all its turns' }) deliveries: RunDelivery[];
  @ApiProperty({ type: [RunTurn], description: 'Oldest first; more than one where it was retried' }) turns: RunTurn[];
  @ApiProperty({ type: String, nullable: true, description: 'What could not be read now, and why' })
  incomplete: string | null;
}

/** What the engine says of a turn. */
export type EngineTurn = Pick<RunTurn, 'id' | 'reply_text' | 'waiting' | 'deliveries'>;

/** @param told null where the engine does not answer */
export function runDetail(run: RunRow, turns: TurnRow[], told: EngineTurn[] | null): RunDetailView {
  const shown = turns.map((turn) =>
    turnOfRun(
      turn,
      told?.find(({ id }) => id === turn.id),
    ),
  );
  const incomplete =
    'The engine does not answer: what the turns answered, waits and deliveries are missing. Ask again.';
  return {
    ...run,
    reply_text: shown.at(-1)?.reply_text ?? null,
    deliveries: shown.flatMap(({ deliveries }) => deliveries),
    turns: shown,
    incomplete: told === null ? incomplete : null,
  };
}

function turnOfRun(
  { id, state, error, reply, reason, redrives, finished_at }: TurnRow,
  told: EngineTurn | undefined,
): RunTurn {
  return {
    id,
    url: `/api/v1/turns/${id}`,
    state,
    error,
    reply,
    reason,
    reason_text: wordsOfTurnReason(error ?? reason),
    reply_text: told?.reply_text ?? null,
    waiting: told?.waiting ?? null,
    deliveries: told?.deliveries ?? [],
    redrives,
    finished_at,
  };
}
