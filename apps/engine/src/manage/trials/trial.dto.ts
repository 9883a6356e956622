import { idOf, OneOf, Text, time, Whole } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import type { Turn } from '../../entities/turn.entity.js';
import { TurnHead, turnHead } from '../turns/turn.dto.js';
import type { Trial } from './trial.entity.js';

const toolModes = ['rehearsed', 'real'] as const;
type ToolMode = (typeof toolModes)[number];

export class NewTrialMessage {
  @Text(100_000, { optional: true, minLength: 1, description: 'What is asked; or `turn_id`' }) text?: string;
  @Text(100, {
    optional: true,
    description:
      'A turn of the agent that has ended, in place of `text`: its message is asked again with what was said before it, ' +
      'and tools answer what they answered then. A call that it did not make answers not_recorded. Needs events:read',
  })
  turn_id?: string;
  @Whole(1, 2_147_483_647, { optional: true, description: 'Of the agent, a draft too; default: the one in force' })
  version?: number;
  @Text(100_000, { optional: true, description: 'In place of those of the version, without saving them' })
  instructions?: string;
  @Text(200, {
    optional: true,
    nullable: true,
    description: 'In place of that of the version; null: the default model',
  })
  model?: string | null;
  @OneOf(toolModes, {
    optional: true,
    description:
      'rehearsed (default): calls that only read are made, all others answer what would be called. real: all are made, ' +
      'with the grades and approvals of any turn; needs the scope workflows:write',
  })
  tools?: ToolMode;
}

/** A message to the agent, and what became of it. `GET /turns/{id}` has its steps. */
export class TrialTurnView extends TurnHead {
  @ApiProperty({ type: String, nullable: true, description: 'What was asked; null: see `recorded_of`' })
  message: string | null;
  @ApiProperty({ ...idOf('trn'), nullable: true, description: 'The turn whose message was asked again' })
  recorded_of: string | null;
  @ApiProperty({ type: 'integer', description: 'The version that was tried' }) version: number;
  @ApiProperty({ description: 'Whether its instructions or its model were others than those of the version' })
  edited: boolean;
  @ApiProperty({ enum: toolModes }) tools: ToolMode;
}

export class TrialView {
  @ApiProperty(idOf('tri')) id: string;
  @ApiProperty(idOf('agt')) agent_id: string;
  @ApiProperty({ description: 'key:<id> or user:<id>' }) made_by: string;
  @ApiProperty(time) created_at: Date;
  @ApiProperty({ type: [TrialTurnView], description: 'Oldest first' }) turns: TrialTurnView[];
}

export function trialView({ id, agent_id, made_by, created_at }: Trial, turns: Turn[], waitMs: number): TrialView {
  return { id, agent_id, made_by, created_at, turns: turns.map((turn) => trialTurn(turn, waitMs)) };
}

export function trialTurn(turn: Turn, waitMs: number): TrialTurnView {
  const { message, trial, rehearsal } = turn.input ?? {};
  return {
    ...turnHead(turn, [], waitMs),
    // The texts of events need another scope.
    message: trial?.recorded_of === undefined ? (message?.message ?? '') : null,
    recorded_of: trial?.recorded_of ?? null,
    version: trial?.version ?? 0,
    edited: trial?.instructions !== undefined || trial?.model !== undefined,
    tools: rehearsal ? 'rehearsed' : 'real',
  };
}
