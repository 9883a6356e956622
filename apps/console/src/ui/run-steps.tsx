import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schema } from '../api/client.js';
import { stepTexts } from '../texts/workflow-steps.js';
import { JsonView } from './json-view.js';
import { NumberedItem, NumberedList } from './numbered-list.js';
import classes from './run-steps.module.css';
import { duration } from './numbers.js';
import { Disclosure } from './page.js';
import { StatusBadge, type Tone } from './status-badge.js';
import { When } from './when.js';

type Step = Schema<'RunStep'>;

const texts = stepTexts.run;

const tones: Readonly<Record<Step['state'], Tone>> = {
  queued: 'quiet',
  running: 'busy',
  waiting: 'warn',
  done: 'good',
  skipped: 'quiet',
  dead: 'bad',
  not_done: 'quiet',
};

/** What became of each step of a workflow in one run. */
export function RunSteps({ steps }: { steps: readonly Step[] }): ReactNode {
  return (
    <NumberedList label={texts.ofWorkflow}>
      {steps.map((step) => (
        <RunStep key={step.name} step={step} />
      ))}
    </NumberedList>
  );
}

function RunStep({
  step: { name, kind, state, reason, reason_text, input, output, ...step },
}: {
  step: Step;
}): ReactNode {
  const isAwaiting = state === 'waiting' && kind === 'wait';
  return (
    <NumberedItem
      heading={
        <>
          <Text fw={500} component="span">
            {name}
          </Text>
          <Text size="sm" c="dimmed" component="span">
            {stepTexts.kinds[kind]}
          </Text>
          <StatusBadge
            status={state}
            tone={tones[state]}
            label={isAwaiting ? texts.states.awaiting : texts.states[state]}
          />
        </>
      }
    >
      {isAwaiting && <AwaitedTime since={step.started_at} until={input?.['until']} />}
      {reason !== null && <Text size="sm">{reason_text ?? <code>{reason}</code>}</Text>}
      <StepTimes {...step} />
      {input && (
        <Disclosure label={texts.input}>
          <JsonView label={texts.input} value={input} />
        </Disclosure>
      )}
      {output && (
        <Disclosure label={texts.output}>
          <JsonView label={texts.output} value={output} />
        </Disclosure>
      )}
    </NumberedItem>
  );
}

/** How much of its time a wait has used up, hatched as waits are in a timeline. */
function AwaitedTime({ since, until }: { since: string | null; until: unknown }): ReactNode {
  if (since === null || typeof until !== 'string') return null;
  const [from, to] = [Date.parse(since), Date.parse(until)];
  const used = Math.min(100, Math.max(2, ((Date.now() - from) / Math.max(1, to - from)) * 100));
  return (
    <div className={classes.awaited}>
      <div className={classes.track} aria-hidden>
        <div className={classes.used} style={{ width: `${used}%` }} />
      </div>
      <Text size="sm" c="dimmed">
        {texts.ends} <When at={until} relative />
      </Text>
    </div>
  );
}

type TimesProps = Pick<Step, 'tries' | 'started_at' | 'finished_at'>;

/** A branch, and a step that is skipped, are not begun: they are decided at once. */
function StepTimes({ tries, started_at: began, finished_at: ended }: TimesProps): ReactNode {
  if (began === null) return null;
  return (
    <Text size="sm" c="dimmed">
      {tries > 0 && `${texts.tries(tries)} · ${texts.began} `}
      <When at={began} />
      {tries > 0 && ended !== null && ` · ${texts.took(duration(Date.parse(ended) - Date.parse(began)))}`}
    </Text>
  );
}
