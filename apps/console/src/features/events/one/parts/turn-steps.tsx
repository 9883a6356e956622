import { Switch, Text } from '@mantine/core';
import { Brain, MessageSquareReply, Scissors, Wrench } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Schema } from '../../../../api/client.js';
import { named } from '../../../../drawn/drawn-text.js';
import { eventPageTexts } from '../../../../texts/event.js';
import { duration } from '../../../../ui/numbers.js';
import { Disclosure } from '../../../../ui/page.js';
import { JsonView } from '../../../../ui/json-view.js';
import { jsonText } from '../../../../ui/code-block.js';
import { StatusBadge } from '../../../../ui/status-badge.js';
import classes from './turn-steps.module.css';

const texts = eventPageTexts.turn;
type Step = Schema<'StepView'>;

const icons = {
  model_call: Brain,
  tool_call: Wrench,
  tool_result: Wrench,
  shortened: Scissors,
  reply: MessageSquareReply,
} as const;

/** Model, calls, model, …: what the agent read and did, step by step. */
export function TurnSteps({ steps }: { steps: Step[] }): ReactNode {
  const [onlyFailed, setOnlyFailed] = useState(false);
  const failed = steps.filter(hasFailed).length;
  return (
    <>
      {failed > 0 && (
        <Switch
          size="xs"
          mb={8}
          label={texts.onlyFailed(failed)}
          checked={onlyFailed}
          onChange={({ currentTarget }) => setOnlyFailed(currentTarget.checked)}
        />
      )}
      <StepList steps={onlyFailed ? steps.filter(hasFailed) : steps} />
    </>
  );
}

function StepList({ steps }: { steps: Step[] }): ReactNode {
  return (
    <ol className={classes.steps} aria-label={texts.steps}>
      {steps.map((step) => {
        const Icon = icons[step.kind];
        const failed = hasFailed(step);
        return (
          <li key={step.seq} className={classes.step} data-failed={failed || undefined}>
            <Icon size={14} aria-hidden className={classes.icon} />
            <div className={classes.what}>
              <Disclosure
                label={
                  <span className={classes.title}>
                    {titleOf(step)}
                    {step.duration_ms !== null && <span> · {duration(step.duration_ms)}</span>}
                    {failed && (
                      <>
                        {' '}
                        <StatusBadge status="failed" />
                      </>
                    )}
                  </span>
                }
              >
                <JsonView label={titleOf(step)} value={step.content} depth={2} />
              </Disclosure>
              {withheldBy(step) && (
                <Text size="sm" c="dimmed">
                  {withheldBy(step)}
                </Text>
              )}
              {textOf(step) && (
                <Text size="sm" lineClamp={4} style={{ overflowWrap: 'anywhere' }}>
                  {textOf(step)}
                </Text>
              )}
            </div>
          </li>
        );
      })}
    </ol>
  );
}

/** A call that failed, was refused, or whose tool reports an error. */
function hasFailed({ kind, content }: Step): boolean {
  if (kind !== 'tool_result' || typeof content['result'] !== 'object' || content['result'] === null) return false;
  const { error, is_error: isError } = content['result'] as { error?: unknown; is_error?: unknown };
  return isError === true || (typeof error === 'object' && error !== null && 'code' in error);
}

function titleOf({ kind, content }: Step): string {
  const name = nameIn(content);
  switch (kind) {
    case 'model_call':
      return typeof content['model'] === 'string' ? `${texts.modelCall} (${content['model']})` : texts.modelCall;
    case 'tool_call':
      return `${texts.toolCall} ${named(name)}`;
    case 'tool_result':
      return `${texts.toolResult} ${named(name)}`;
    case 'shortened':
      return texts.shortened;
    case 'reply':
      return texts.reply;
  }
}

/** The readable content of a step; the arguments of a call. */
function textOf({ kind, content }: Step): string | null {
  if (kind === 'tool_call' && content['arguments']) return jsonText(content['arguments'], 0);
  if (kind === 'tool_result' && content['result'] !== undefined) return jsonText(content['result'], 0);
  const text = content['text'];
  return typeof text === 'string' && text !== '' ? text : null;
}

/** Which tools the model is not offered because of the turn's sender, or any more because of what a call has read. */
function withheldBy({ kind, content: { withheld, withheld_since: why } }: Step): string | null {
  if (!Array.isArray(withheld) || withheld.length === 0) return null;
  const say = kind === 'model_call' ? texts.notOffered : texts.withheld;
  return say(withheld.map(String), String(why));
}

const nameIn = (content: Step['content']): string =>
  [content['tool'], content['name']].find((name) => typeof name === 'string') ?? '';
