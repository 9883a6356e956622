import { Anchor, Stack } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { LoaderCircle } from 'lucide-react';
import type { ReactNode } from 'react';
import { usePrincipalName } from '../../../api/principals.js';
import { eventPageTexts } from '../../../texts/event.js';
import { JsonView } from '../../../ui/json-view.js';
import { duration } from '../../../ui/numbers.js';
import { Disclosure, Section } from '../../../ui/page.js';
import { toneOf } from '../../../ui/status-badge.js';
import { DeliveryPart } from './parts/delivery-part.js';
import { ParsedPart, RequestPart } from './parts/request-part.js';
import { RoutedPart } from './parts/routed-part.js';
import { TurnPart } from './parts/turn-part.js';
import { passedIn, PassedModels } from './passed-models.js';
import { VoiceNotes } from './voice-notes.js';
import { StepItem } from './step-item.js';
import { type Axis, axisOf, type EventDetail, shareOn, type Step, stepLook, stepsOf, workedMs } from './steps.js';
import classes from './timeline.module.css';
import type { Bar } from './track.js';
import { answerOf } from './use-event.js';

/** The timeline of an event: each step, where the time went, and why it continued as it did. */
export function EventTimeline({ event }: { event: EventDetail }): ReactNode {
  const steps = stepsOf(event.timeline);
  const { isOpen, toggle, setAll, all } = useOpenSteps(steps);
  const axis = axisOf(steps);
  const nameOf = usePrincipalName(event.replays.map(({ by }) => by));
  const { status, tone, why } = answerOf(event);
  const pending = tone === 'busy';
  return (
    <Section
      title={eventPageTexts.timeline}
      actions={
        <Anchor component="button" type="button" size="sm" onClick={() => setAll(!all)}>
          {all ? eventPageTexts.collapseAll : eventPageTexts.expandAll}
        </Anchor>
      }
    >
      <p className={classes.sentence} style={{ margin: '0 0 8px' }}>
        {eventPageTexts.timelineHint} {duration(axis.spanMs)}
      </p>
      <ol className={classes.timeline}>
        {steps.map((step) => {
          const look = stepLook(step, event, nameOf);
          return (
            <StepItem
              key={step.key}
              id={step.key}
              {...look}
              notes={
                step.stage === 'turn' && (
                  <>
                    <VoiceNotes step={step} />
                    <PassedModels passed={passedIn(step)} />
                  </>
                )
              }
              bar={barOf(step, axis)}
              tookMs={step.endMs > step.startMs ? workedMs(step) : null}
              waits={step.waits}
              open={isOpen(step)}
              onToggle={() => toggle(step)}
            >
              {stepBody(step, event, axis)}
            </StepItem>
          );
        })}
        {pending && (
          <StepItem
            id="pending"
            icon={LoaderCircle}
            title={eventPageTexts.open}
            status={status}
            tone={toneOf(status)}
            sentence={why}
            bar={null}
            tookMs={null}
            waits={[]}
            open={false}
            onToggle={() => undefined}
            pending
          />
        )}
      </ol>
    </Section>
  );
}

/** The whole step, with its waits over it. */
function barOf({ startMs, endMs, waits }: Step, axis: Axis): Bar {
  const share = shareOn(axis);
  return {
    from: share(startMs),
    to: share(endMs),
    waits: waits.map(({ fromMs, toMs }) => ({ from: share(fromMs), to: share(toMs) })),
  };
}

/** The details of an open step; null: its line says everything. */
function stepBody(step: Step, event: EventDetail, axis: Axis): ReactNode {
  const checkedAtOnce = step.stage === 'verified' && step.last.stage === 'received';
  if (checkedAtOnce) return null;
  return (
    <Stack gap="sm">
      {partOf(step, event, axis)}
      <Disclosure label={eventPageTexts.facts}>
        <JsonView label={eventPageTexts.facts} value={step.entries} depth={2} />
      </Disclosure>
    </Stack>
  );
}

function partOf(step: Step, event: EventDetail, axis: Axis): ReactNode {
  switch (step.stage) {
    case 'received':
      return <RequestPart event={event} />;
    case 'verified':
      return null;
    case 'parsed':
      return <ParsedPart event={event} />;
    case 'routed':
      return <RoutedPart event={event} entry={step.last} />;
    case 'turn':
      return <TurnPart event={event} turnId={step.subject} axis={axis} />;
    case 'delivery':
      return <DeliveryPart event={event} step={step} />;
  }
}

interface OpenSteps {
  isOpen: (step: Step) => boolean;
  toggle: (step: Step) => void;
  setAll: (open: boolean) => void;
  /** Whether all are open. */
  all: boolean;
}

/** Open at first is what says why: the router's checks, what agents did, and whatever went wrong. */
const openAtFirst = ({ stage, last }: Step): boolean =>
  stage === 'routed' || stage === 'turn' || stage === 'delivery' || toneOf(last.outcome) === 'bad';

/** The URL has the steps whose state differs from the initial one. */
function useOpenSteps(steps: readonly Step[]): OpenSteps {
  const { toggled = '' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const keys = new Set(toggled.split('.').filter(Boolean));
  const isOpen = (step: Step): boolean => openAtFirst(step) !== keys.has(step.key);
  const write = (next: Set<string>): void =>
    void navigate({
      to: '.',
      search: (before) => ({ ...before, toggled: [...next].join('.') || undefined }),
      replace: true,
      resetScroll: false,
    });
  return {
    isOpen,
    toggle: ({ key }) =>
      write(keys.has(key) ? new Set([...keys].filter((one) => one !== key)) : new Set([...keys, key])),
    setAll: (open) => write(new Set(steps.filter((one) => openAtFirst(one) !== open).map(({ key }) => key))),
    all: steps.every(isOpen),
  };
}
