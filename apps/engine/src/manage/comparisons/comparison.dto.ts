import { idOf, Nested, NestedList, OneOf, PageOf, Text, TextList, time, Whole } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { AnswerRuleBody } from './answer-rule.dto.js';
import { type ComparedCase, type ComparedTurn } from './comparison-case.repository.js';
import type { CountedComparison, Spent } from './comparison.repository.js';
import { type Side, sides } from './comparison.entity.js';

const maxVersion = 2_147_483_647;

export class JudgeBody {
  @Text(4_000, { optional: true, minLength: 1, description: 'What makes an answer better, in words for a model' })
  criteria?: string;
  @Text(200, {
    optional: true,
    nullable: true,
    description: 'The model that judges; null (default): the default model',
  })
  model?: string | null;
}

export class NewComparisonBody {
  @Whole(1, maxVersion, { description: 'The version that may be put in force' }) candidate: number;
  @Whole(1, maxVersion, { optional: true, description: 'The version to compare it with; default: the one in force' })
  baseline?: number;
  @Whole(1, 1_000, {
    optional: true,
    description: 'The newest answered message of each of the last so many conversations, at most COMPARISON_CASES',
  })
  last?: number;
  @TextList(1_000, 100, { optional: true, description: 'In place of `last`: turns of the agent that have ended' })
  turn_ids?: string[];
  @Text(100, { optional: true, description: 'In place of `last`: the cases of an earlier comparison of the agent' })
  cases_of?: string;
  @Text(100, { optional: true, description: 'In place of `last`: a set of cases of the agent' }) set_id?: string;
  @NestedList(AnswerRuleBody, 50, {
    optional: true,
    description: 'Both answers of each case are checked by them; default: those of the set',
  })
  rules?: AnswerRuleBody[];
  @Nested(JudgeBody, { optional: true, description: 'A model says which answer is better. Absent: none is asked' })
  judge?: JudgeBody;
  @Whole(1, maxVersion, { optional: true, description: 'No further case begins once so many tokens are used' })
  max_tokens?: number;
}

export const comparisonStates = ['running', 'ended', 'cancelled'] as const;

export class SideTotals implements Spent {
  @ApiProperty({ type: 'integer', description: 'Turns that failed' }) failed: number;
  @ApiProperty({ type: 'integer' }) tokens: number;
  @ApiProperty({ type: 'integer', description: 'In millionths of the currency of MODEL_PRICES' }) cost_micros: number;
  @ApiProperty({ description: 'Of all model calls, in ms' }) duration_ms: number;
  @ApiProperty({ type: 'integer', description: 'Calls of tools' }) calls: number;
  @ApiProperty({ type: 'integer', description: 'Of them, calls that the earlier turn had not made' }) missed: number;
}

export class VersionTotals extends SideTotals {
  @ApiProperty({ type: 'integer' }) version: number;
  @ApiProperty({ type: 'integer', description: 'Rules that held, of `rules_checked` of the comparison' })
  rules_held: number;
  @ApiProperty({ type: 'integer', description: 'Cases in which the judge preferred this version' }) preferred: number;
}

export class JudgeView {
  @ApiProperty() criteria: string;
  @ApiProperty({ type: String, nullable: true }) model: string | null;
}

export class ComparisonView {
  @ApiProperty(idOf('cmp')) id: string;
  @ApiProperty(idOf('agt')) agent_id: string;
  @ApiProperty({ enum: comparisonStates }) state: (typeof comparisonStates)[number];
  @ApiProperty({ type: 'integer' }) cases: number;
  @ApiProperty({ type: 'integer', description: 'Cases that have not ended' }) open: number;
  @ApiProperty({ type: 'integer', description: 'Cases that were compared; the other ones have a `reason`' })
  done: number;
  @ApiProperty({ type: 'integer', description: 'Rules that were checked on each side' }) rules_checked: number;
  @ApiProperty({ type: VersionTotals }) baseline: VersionTotals;
  @ApiProperty({ type: VersionTotals }) candidate: VersionTotals;
  @ApiProperty({ type: SideTotals, description: 'What judging took' }) judging: SideTotals;
  @ApiProperty({ type: 'integer', description: 'Cases in which the judge preferred neither' }) ties: number;
  @ApiProperty({ type: [AnswerRuleBody] }) rules: AnswerRuleBody[];
  @ApiProperty({ type: JudgeView, nullable: true }) judge: JudgeView | null;
  @ApiProperty({ type: 'integer', nullable: true }) max_tokens: number | null;
  @ApiProperty({ description: 'key:<id> or user:<id>' }) made_by: string;
  @ApiProperty({ type: String, nullable: true }) cancelled_by: string | null;
  @ApiProperty(time) created_at: Date;
  @ApiProperty({ ...time, nullable: true }) ended_at: Date | null;
}

export class ComparisonPage extends PageOf(ComparisonView) {}

export class ComparedCallView {
  @ApiProperty() tool: string;
  @ApiProperty({ description: 'The earlier turn had not made this call' }) missed: boolean;
}

export class ComparedAnswerView {
  @ApiProperty({ ...idOf('trn'), description: 'GET /turns/{id} has its steps' }) turn_id: string;
  @ApiProperty({ description: 'As of a turn' }) state: string;
  @ApiProperty({ type: String, nullable: true }) answer: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Why it failed, or what the answer lacks' }) reason:
    string | null;
  @ApiProperty({ type: [ComparedCallView] }) calls: ComparedCallView[];
  @ApiProperty({ type: 'integer' }) tokens: number;
  @ApiProperty({ type: 'integer' }) cost_micros: number;
  @ApiProperty({ description: 'Of its model calls, in ms' }) duration_ms: number;
}

export class RuleVerdictView implements Record<Side, string | null> {
  @ApiProperty({ type: String, nullable: true, description: 'What is wrong; null: it holds' }) baseline: string | null;
  @ApiProperty({ type: String, nullable: true }) candidate: string | null;
}

export class CaseJudgementView {
  @OneOf([...sides, 'tie']) prefers: Side | 'tie';
  @ApiProperty() why: string;
}

export class ComparisonCaseView {
  @ApiProperty(idOf('cmc')) id: string;
  @ApiProperty({ type: 'integer' }) position: number;
  @ApiProperty({ enum: ['waiting', 'running', 'done', 'dead', 'cancelled'] }) state: string;
  @ApiProperty({ type: String, nullable: true, description: 'Why it could not be compared' }) reason: string | null;
  @ApiProperty({ ...idOf('trn'), description: 'The turn whose message was asked again' }) source_turn_id: string;
  @ApiProperty({ type: String, nullable: true, description: 'Null: past its retention' }) message: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'What was answered then' }) recorded: string | null;
  @ApiProperty({ type: ComparedAnswerView, nullable: true }) baseline: ComparedAnswerView | null;
  @ApiProperty({ type: ComparedAnswerView, nullable: true }) candidate: ComparedAnswerView | null;
  @ApiProperty({ type: [RuleVerdictView], description: 'In the order of `rules` of the comparison' })
  rules: RuleVerdictView[];
  @ApiProperty({ type: CaseJudgementView, nullable: true }) judge: CaseJudgementView | null;
  @ApiProperty({ type: String, nullable: true, description: 'Why the judge gave no verdict' }) judge_error:
    string | null;
}

export class ComparisonCasePage extends PageOf(ComparisonCaseView) {}

export function comparisonView({ counts, ...row }: CountedComparison): ComparisonView {
  const { id, agent_id, rules, judge, max_tokens, made_by, cancelled_by, created_at } = row;
  const side = (name: Side): VersionTotals => ({
    version: row[name],
    rules_held: counts.held[name],
    preferred: counts.preferred[name],
    ...counts.sides[name],
  });
  const ended = counts.open === 0;
  return {
    id,
    agent_id,
    state: !ended ? 'running' : cancelled_by === null ? 'ended' : 'cancelled',
    cases: counts.cases,
    open: counts.open,
    done: counts.done,
    rules_checked: counts.checked,
    baseline: side('baseline'),
    candidate: side('candidate'),
    judging: counts.sides.judge,
    ties: counts.preferred.tie,
    rules,
    judge,
    max_tokens,
    made_by,
    cancelled_by,
    created_at,
    ended_at: ended && counts.ended_at !== null ? new Date(counts.ended_at) : null,
  };
}

export function caseView(compared: ComparedCase): ComparisonCaseView {
  const { id, position, state, reason, source_turn_id, message, recorded, baseline, candidate, verdict } = compared;
  return {
    id,
    position,
    state: state === 'queued' ? 'running' : state,
    reason: state === 'dead' ? reason : null,
    source_turn_id,
    message,
    recorded,
    baseline: baseline && answerView(baseline),
    candidate: candidate && answerView(candidate),
    rules: verdict?.rules ?? [],
    judge: verdict?.judge ?? null,
    judge_error: verdict?.judge_error ?? null,
  };
}

function answerView({ id, reply_text: answer, ended: _ended, ...turn }: ComparedTurn): ComparedAnswerView {
  return { turn_id: id, answer, ...turn };
}
