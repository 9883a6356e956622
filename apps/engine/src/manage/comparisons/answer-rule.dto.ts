import { isJsonPointer } from '#libs/adapter-sdk';
import { patternProblem } from '#libs/answer-rules';
import { anyValue, AsGiven, Problem, Text, TextList } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';

export class AnswerRuleBody {
  @Text(1_000, { optional: true, minLength: 1, description: 'The answer has these words, ignoring case' })
  contains?: string;
  @Text(1_000, { optional: true, minLength: 1, description: 'RE2: a part of the answer matches, ignoring case' })
  matches?: string;
  @TextList(50, 1_000, { optional: true, description: 'The answer has none of these words, ignoring case' })
  forbids?: string[];
  @Text(200, { optional: true, minLength: 1, description: 'The tool was called' }) calls?: string;
  @Text(500, { optional: true, description: 'A JSON Pointer into the answer, which is JSON; with `equals`' })
  pointer?: string;
  @ApiProperty({ ...anyValue, required: false, description: 'What the answer has at `pointer`' })
  @IsOptional()
  @AsGiven()
  equals?: unknown;
}

const kinds = ['contains', 'matches', 'forbids', 'calls', 'pointer'] as const;

/** @throws Problem 422 that names the rule */
export function requireValidRules(rules: AnswerRuleBody[]): void {
  for (const [index, rule] of rules.entries()) requireValid(rule, `rules.${index}`);
}

function requireValid(rule: AnswerRuleBody, field: string): void {
  const [kind, ...others] = kinds.filter((each) => rule[each] !== undefined);
  if (kind === undefined || others.length > 0) throw invalid(field, `a rule has exactly one of ${kinds.join(', ')}`);
  if ((kind === 'pointer') !== (rule.equals !== undefined)) throw invalid(field, 'pointer and equals go together');
  if (rule.pointer !== undefined && !isJsonPointer(rule.pointer)) {
    throw invalid(`${field}.pointer`, 'give a JSON Pointer such as /total');
  }
  if (rule.matches === undefined) return;
  const problem = patternProblem(rule.matches);
  if (problem !== null) throw invalid(`${field}.matches`, problem);
}

export function invalid(field: string, message: string): Problem {
  return new Problem(422, 'invalid_fields', 'Some fields are not valid.', [{ field, message }]);
}
