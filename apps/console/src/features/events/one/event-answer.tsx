import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { eventPageTexts } from '../../../texts/event.js';
import { ProjectLink } from '../../../ui/links.js';
import { colours } from '../../../ui/status-badge.js';
import { When } from '../../../ui/when.js';
import classes from './event-answer.module.css';
import { EventRepair } from './event-repair.js';
import type { EventDetail } from './steps.js';
import { type Answer, answerOf } from './use-event.js';

/** Answers "Why did nothing happen?" first, with what to do about it. */
export function EventAnswer({ event }: { event: EventDetail }): ReactNode {
  const answer = answerOf(event);
  return (
    <section
      className={classes.answer}
      aria-label={eventPageTexts.answer}
      style={{ '--gh-tone': `var(--mantine-color-${colours[answer.tone]}-6)` }}
    >
      <div className={classes.words} aria-live="polite">
        <Text fz="lg" fw={600} lh={1.4}>
          {answer.why}
        </Text>
        {event.result?.until && (
          <Text c="dimmed" size="sm">
            {eventPageTexts.approval.until} <When at={event.result.until} />
          </Text>
        )}
        {answer.toDo && <ToDo event={event} toDo={answer.toDo} />}
      </div>
      <Group className={classes.actions} gap="xs">
        <EventRepair event={event} status={answer.status} />
      </Group>
    </section>
  );
}

function ToDo({ event, toDo }: { event: EventDetail; toDo: NonNullable<Answer['toDo']> }): ReactNode {
  const path = toDo.to && pathTo(toDo.to, event);
  return (
    <Text mt={2}>
      {toDo.text}{' '}
      {path && (
        <ProjectLink {...path} underline="always">
          {toDo.label ?? eventPageTexts.openApp}
        </ProjectLink>
      )}
    </Text>
  );
}

type Target = NonNullable<NonNullable<Answer['toDo']>['to']>;
interface Path {
  path: `/${string}`;
  search?: Record<string, string>;
}

function pathTo(to: Target, { id, app_id, contacts, runs, turns }: EventDetail): Path | null {
  const contact = contacts[0]?.id;
  const session = turns.find(({ session_id }) => session_id)?.session_id;
  const workflow = runs[0]?.workflow_id;
  const isApp = app_id?.startsWith('app_') === true;
  const paths: Record<Target, Path | null> = {
    app: isApp ? { path: `/integrations/${app_id}` } : null,
    channel: isApp ? { path: `/integrations/${app_id}`, search: { tab: 'channel', edit: 'channel' } } : null,
    contact: contact ? { path: `/contacts/${contact}` } : null,
    session: session ? { path: `/conversations/${session}` } : null,
    workflow: workflow ? { path: `/workflows/${workflow}` } : null,
    approvals: { path: '/approvals' },
    test: { path: `/events/${id}`, search: { test: '' } },
  };
  return paths[to];
}
