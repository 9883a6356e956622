import { Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schema } from '../../api/client.js';
import { usePrincipalName } from '../../api/principals.js';
import { useProjectId } from '../../api/project-query.js';
import { useChange } from '../../api/use-change.js';
import { operationsTexts } from '../../texts/operations.js';
import { ActionButton, ConfirmAction } from '../../ui/action-button.js';
import { useReason } from '../../ui/editable.js';
import { LaterSelect } from '../../ui/later.js';
import { TextLink } from '../../ui/links.js';
import { AppName } from '../../ui/name-of.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Disclosure, Section } from '../../ui/page.js';
import { SelectBox } from '../../ui/selection.js';
import { StatusBadge, type Tone } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';
import { useOperationsSearch } from './filters.js';
import { LastChange } from './last-change.js';
import classes from './problem-card.module.css';
import { muteProblem, nameOfProblem, redriveProblem, reopenProblem, resolveProblem } from './change-problem.js';

const texts = operationsTexts.problems;
const { stages } = operationsTexts.letters;
const tones: Readonly<Record<Problem['state'], Tone>> = {
  open: 'bad',
  regressed: 'bad',
  muted: 'quiet',
  resolved: 'good',
};
type Problem = Schema<'ProblemView'>;

interface ProblemCardProps {
  problem: Problem;
  days: number;
  checked: boolean;
  onToggle: (range: boolean) => void;
}

/** One cause: whom it hit and when, the change before it, and what can be done with it. */
export function ProblemCard({ problem, days, ...select }: ProblemCardProps): ReactNode {
  const projectId = useProjectId();
  const nameOf = usePrincipalName(problem.marked_by === null ? [] : [problem.marked_by]);
  const { app_id: app, stage, reason, count, open, people, parts, state } = problem;
  return (
    <Section
      item
      title={nameOfProblem(problem)}
      actions={
        <Group gap="md">
          <StatusBadge status={state} label={texts.states[state]} tone={tones[state]} />
          <SelectBox name={nameOfProblem(problem)} {...select} />
        </Group>
      }
    >
      <Stack gap="sm">
        <Group gap="xl" align="flex-end">
          <Stack gap={2} flex="1 1 300px" miw={0}>
            <Text size="sm">
              <b>{texts.letters(count)}</b> · {texts.people(people)} · {texts.open(open)}
            </Text>
            <Text size="sm" c="dimmed">
              <AppName id={app} /> · {stages[stage as keyof typeof stages] ?? stage}
              {reason && (
                <>
                  {' '}
                  · <code>{reason}</code>
                </>
              )}
            </Text>
            <Text size="sm" c="dimmed">
              {texts.first} <When at={problem.first_seen} relative /> · {texts.last}{' '}
              <When at={problem.last_seen} relative />
            </Text>
            {problem.marked_by && problem.marked_at && (
              <Text size="sm" c="dimmed">
                {texts.markedBy(nameOf(problem.marked_by))} · <When at={problem.marked_at} relative />
                {problem.muted_until && state === 'muted' && (
                  <>
                    {' '}
                    · {texts.mutedUntil} <When at={problem.muted_until} />
                  </>
                )}
              </Text>
            )}
          </Stack>
          <Spark parts={parts} label={texts.spark(days, parts)} />
        </Group>
        <Actions problem={problem} />
        <Group gap="lg" align="flex-start">
          <TextLink
            size="sm"
            to={{ to: '/p/$projectId/events/$eventId', params: { projectId, eventId: problem.last_event_id } }}
          >
            {texts.newest}
          </TextLink>
          {reason && (
            <TextLink
              size="sm"
              to={{
                to: '/p/$projectId/operations/$section',
                params: { projectId, section: 'dead-letters' },
                search: { app, reason },
              }}
            >
              {texts.each}
            </TextLink>
          )}
        </Group>
        <Disclosure label={texts.before}>
          <LastChange before={problem.first_seen} />
        </Disclosure>
      </Stack>
    </Section>
  );
}

function Actions({ problem }: { problem: Problem }): ReactNode {
  const { reason: code, open, state } = problem;
  const { change } = useOperationsSearch();
  const reason = useReason('events:write');
  const redrive = useChange(() => redriveProblem(problem), 'dead-letters');
  const mute = useChange((hours: number | null) => muteProblem(problem, hours), 'dead-letters', 'events');
  const resolve = useChange(() => resolveProblem(problem), 'dead-letters', 'events');
  const reopen = useChange(() => reopenProblem(problem), 'dead-letters', 'events');
  const isQuiet = state === 'muted' || state === 'resolved';
  return (
    <Group gap="xs">
      {open > 0 && (
        <ConfirmAction
          size="compact-sm"
          reason={reason ?? (code === null ? texts.noCode : null)}
          loading={redrive.isPending}
          question={texts.redriveQuestion(open)}
          onConfirm={() => redrive.mutate(undefined, { onSuccess: ({ id: batch }) => change({ batch }) })}
        >
          {texts.redrive(open)}
        </ConfirmAction>
      )}
      {isQuiet && open > 0 && (
        <ActionButton
          size="compact-sm"
          variant="default"
          reason={reason}
          loading={reopen.isPending}
          onClick={() => reopen.mutate()}
        >
          {texts.reopen}
        </ActionButton>
      )}
      {!isQuiet && (
        <>
          <ActionButton
            size="compact-sm"
            variant="default"
            reason={reason}
            loading={resolve.isPending}
            onClick={() => resolve.mutate()}
          >
            {texts.resolve}
          </ActionButton>
          <LaterSelect
            aria-label={texts.mute}
            placeholder={texts.mute}
            size="xs"
            w={150}
            disabled={reason !== null}
            data={Object.entries(texts.muteFor).map(([value, label]) => ({ value, label }))}
            value={null}
            onChange={(hours) => hours !== null && mute.mutate(hours === 'ever' ? null : Number(hours))}
          />
        </>
      )}
      <ProblemAlert error={redrive.error ?? mute.error ?? resolve.error ?? reopen.error} />
    </Group>
  );
}

/** How often, over time: enough to see whether it grows, began at once or is over. */
function Spark({ parts, label }: { parts: number[]; label: string }): ReactNode {
  const most = Math.max(1, ...parts);
  return (
    <div role="img" aria-label={label} className={classes.spark}>
      {parts.map((part, index) => (
        <i
          key={index}
          data-some={part > 0 || undefined}
          style={{ height: `${part === 0 ? 2 : 12 + (part / most) * 88}%` }}
        />
      ))}
    </div>
  );
}
