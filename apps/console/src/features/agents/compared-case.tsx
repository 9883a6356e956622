import { Text } from '@mantine/core';
import { Check, X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Schema } from '../../api/client.js';
import { useCost } from '../../api/usage.js';
import { own } from '../../own.js';
import { agentTexts } from '../../texts/agents.js';
import { comparisonTexts as texts } from '../../texts/comparisons.js';
import chat from '../../ui/chat.module.css';
import { duration } from '../../ui/numbers.js';
import { Section } from '../../ui/page.js';
import { StatusBadge } from '../../ui/status-badge.js';
import classes from './compare.module.css';

type Case = Schema<'ComparisonCaseView'>;
type Comparison = Schema<'ComparisonView'>;
const sides = ['baseline', 'candidate'] as const;
type Side = (typeof sides)[number];

/** A message with both answers, what each took, and what rules and judge say. */
export function ComparedCase({ comparison, compared }: { comparison: Comparison; compared: Case }): ReactNode {
  const { position, message, recorded, state, reason } = compared;
  return (
    <Section item title={texts.message(position)}>
      <div className={classes.case}>
        <div className={chat.bubble} data-side="sender">
          {message ?? texts.messageGone}
        </div>
        {state === 'waiting' && (
          <Text size="sm" c="dimmed">
            {texts.waiting}
          </Text>
        )}
        {reason !== null && <Text size="sm">{texts.notCompared(own(texts.reasons, reason) ?? reason)}</Text>}
        {(compared.baseline ?? compared.candidate) && (
          <div className={classes.sides}>
            {sides.map((side) => (
              <Answer key={side} side={side} comparison={comparison} compared={compared} />
            ))}
          </div>
        )}
        <Judgement comparison={comparison} compared={compared} />
        {recorded && (
          <details className={classes.recorded}>
            <summary>{texts.recorded}</summary>
            <div className={classes.text}>{recorded}</div>
          </details>
        )}
      </div>
    </Section>
  );
}

interface AnswerProps {
  side: Side;
  comparison: Comparison;
  compared: Case;
}

function Answer({ side, comparison, compared }: AnswerProps): ReactNode {
  const given = compared[side];
  const { version } = comparison[side];
  const costOf = useCost();
  if (!given) return null;
  const { answer, state, reason, calls, tokens, cost_micros: cost, duration_ms: took } = given;
  const failed = state === 'failed';
  const isOpen = !failed && state !== 'succeeded';
  const called = calls.map(({ tool, missed }) => (missed ? texts.missed(tool) : tool));
  return (
    <div className={classes.side} role="group" aria-label={texts.version(version)}>
      <div className={chat.under}>
        <strong>{texts.version(version)}</strong>
        {compared.judge?.prefers === side && <StatusBadge status={texts.preferred} tone="good" />}
      </div>
      <div className={classes.text}>
        {isOpen ? texts.working : failed ? texts.noAnswer(reason ?? state) : answer || texts.nothing}
      </div>
      {!isOpen && (
        <div className={chat.under}>
          <span>{called.length > 0 ? texts.called(called) : texts.calledNothing}</span>
          <span>{agentTexts.tokens(tokens)}</span>
          {cost > 0 && <span>{costOf(cost)}</span>}
          <span>{duration(took)}</span>
        </div>
      )}
      {compared.rules.length > 0 && (
        <ul className={classes.rules}>
          {compared.rules.map((verdict, at) => (
            <Rule key={at} rule={comparison.rules[at]} problem={verdict[side]} />
          ))}
        </ul>
      )}
    </div>
  );
}

function Rule({ rule, problem }: { rule: Schema<'AnswerRuleBody'> | undefined; problem: string | null }): ReactNode {
  const Icon = problem === null ? Check : X;
  return (
    <li data-holds={problem === null}>
      <Icon size={14} aria-hidden />
      <span>{problem ?? `${ruleText(rule)}: ${texts.holds}`}</span>
    </li>
  );
}

function ruleText(rule: Schema<'AnswerRuleBody'> = {}): string {
  const { contains, matches, forbids, calls, pointer } = rule;
  if (contains !== undefined) return texts.rule.contains(contains);
  if (matches !== undefined) return texts.rule.matches(matches);
  if (forbids !== undefined) return texts.rule.forbids(forbids);
  if (calls !== undefined) return texts.rule.calls(calls);
  return texts.rule.pointer(pointer ?? '');
}

function Judgement({ comparison, compared: { judge, judge_error: error } }: Omit<AnswerProps, 'side'>): ReactNode {
  if (error !== null) return <Text size="sm">{texts.noVerdict(error)}</Text>;
  if (!judge) return null;
  const { prefers, why } = judge;
  return (
    <Text size="sm">
      {prefers === 'tie' ? texts.prefers.tie : texts.prefers[prefers](comparison[prefers].version)} {why}
    </Text>
  );
}
