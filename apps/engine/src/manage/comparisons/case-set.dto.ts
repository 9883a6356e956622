import { idOf, NestedList, Text, TextList, time, Whole } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import type { CaseSet } from '../../entities/case-set.entity.js';
import { AnswerRuleBody } from './answer-rule.dto.js';
import type { SetCase } from './case-set.repository.js';

export class NewCaseSetBody {
  @Text(100, { minLength: 1, description: 'No other set of the agent has it' }) name: string;
  @TextList(1_000, 100, { optional: true, description: 'Turns of the agent that have ended, at most COMPARISON_CASES' })
  turn_ids?: string[];
  @Text(100, { optional: true, description: 'In place of `turn_ids`: the cases of a comparison of the agent' })
  cases_of?: string;
  @Whole(1, 1_000, {
    optional: true,
    description: 'In place of `turn_ids`: the newest answered message of each of the last so many conversations',
  })
  last?: number;
  @NestedList(AnswerRuleBody, 50, { optional: true, description: 'For the answer of each case' })
  rules?: AnswerRuleBody[];
}

export class CaseSetView {
  @ApiProperty(idOf('cst')) id: string;
  @ApiProperty(idOf('agt')) agent_id: string;
  @ApiProperty() name: string;
  @ApiProperty({ type: 'integer' }) cases: number;
  @ApiProperty({ type: [AnswerRuleBody] }) rules: AnswerRuleBody[];
  @ApiProperty({ description: 'key:<id> or user:<id>' }) made_by: string;
  @ApiProperty(time) created_at: Date;
}

export class SetCaseView implements SetCase {
  @ApiProperty(idOf('trn')) turn_id: string;
  @ApiProperty({ type: String, nullable: true, description: 'Null: past its retention' }) message: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'What was answered then' }) recorded: string | null;
}

export class CaseSetDetailView extends CaseSetView {
  @ApiProperty({ type: [SetCaseView], description: 'In their order' }) turns: SetCaseView[];
}

export class CaseSetList {
  @ApiProperty({ type: [CaseSetView] }) data: CaseSetView[];
}

export function caseSetView({ id, agent_id, name, turn_ids, rules, made_by, created_at }: CaseSet): CaseSetView {
  return { id, agent_id, name, cases: turn_ids.length, rules, made_by, created_at };
}
