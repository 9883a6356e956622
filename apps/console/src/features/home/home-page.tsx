import { Skeleton, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Activity } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useAttention } from '../../api/attention.js';
import { useApps } from '../../api/choices.js';
import type { Schema } from '../../api/client.js';
import { useLiveEvents } from '../../api/event-stream.js';
import { useLastLook } from '../../api/last-look.js';
import { type CursorList, useCursorList, useProjectId, useProjectQuery } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { eventTexts } from '../../texts/events.js';
import { homeTexts } from '../../texts/home.js';
import { useDrawnReady } from '../../ui/later.js';
import { ProjectLink } from '../../ui/links.js';
import { EmptyState, ProblemAlert } from '../../ui/notices.js';
import { Page, Section } from '../../ui/page.js';
import { MessageState } from '../../ui/message-state.js';
import { When } from '../../ui/when.js';
import { Attention } from './attention.js';
import { FirstMinutes } from './first-minutes.js';
import { Health } from './health.js';
import { askRecent, modelQuestion, recentKey, verificationQuestion } from './questions.js';
import classes from './recent-events.module.css';

const SinceLastLook = lazy(() => import('./since-last-look.js'));
const TemplateOffer = lazy(() => import('./template-offer.js'));

export function HomePage(): ReactNode {
  const events = useCursorList(recentKey, askRecent);
  const { since, read } = useLastLook();
  const apps = useApps();
  const verified = useProjectQuery(...verificationQuestion);
  const model = useProjectQuery(...modelQuestion);
  const mayOffer = useScope('apps:read');
  const { data: attention = [] } = useAttention();
  // What stops messages comes before what a new project has still to do.
  const failing = events.rows.length > 0 && attention.some((item) => item.severity === 'error' && !item.muted_until);
  useLiveEvents({});
  // What a new project shows first would move everything else down, and is known only with all of these.
  const [settled, setSettled] = useState(false);
  // Once: its parts ask again for what has failed, which is pending then. Without them it would wait again, without end.
  if (!settled && !events.loading && ![apps, verified, model].some(({ isPending }) => isPending)) setSettled(true);
  const ready = useDrawnReady(settled);
  if (!ready) return <Waiting />;
  return (
    <Page title={homeTexts.title} description={homeTexts.description}>
      <Stack gap="md">
        {events.rows.length === 0 && events.error === null && mayOffer && (
          <Suspense fallback={<Skeleton height={205} />}>
            <TemplateOffer />
          </Suspense>
        )}
        {!failing && <FirstMinutes newest={events.rows} />}
        {since !== null && (
          <Suspense>
            <SinceLastLook since={since} onRead={read} />
          </Suspense>
        )}
        <Section title={homeTexts.attention.title} actions={<RulesLink />}>
          <Attention />
        </Section>
        {failing && <FirstMinutes newest={events.rows} />}
        {events.rows.length > 0 && <Health />}
        <Section
          title={homeTexts.recent.title}
          actions={
            <ProjectLink path="/events" size="sm">
              {homeTexts.recent.all}
            </ProjectLink>
          }
          flush
        >
          <RecentEvents list={events} />
        </Section>
      </Stack>
    </Page>
  );
}

/** Who may read alert rules finds them beside what they call about. */
function RulesLink(): ReactNode {
  if (!useScope('alerts:read')) return null;
  return (
    <ProjectLink path="/alerts" size="sm">
      {homeTexts.attention.rules}
    </ProjectLink>
  );
}

function Waiting(): ReactNode {
  return (
    <Page title={homeTexts.title} description={homeTexts.description}>
      <Stack gap="md">
        <Skeleton height={110} />
        <Skeleton height={240} />
        <Skeleton height={360} />
      </Stack>
    </Page>
  );
}

function RecentEvents({ list }: { list: CursorList<Schema<'EventView'>> }): ReactNode {
  const projectId = useProjectId();
  if (list.loading) return <Skeleton height={240} />;
  if (list.error) return <ProblemAlert error={list.error} onRetry={list.refresh} />;
  if (list.rows.length === 0)
    return <EmptyState icon={Activity} title={eventTexts.empty.title} text={eventTexts.empty.text} />;
  return (
    <ul className={classes.list}>
      {list.rows.map(({ id, text, event_type, state, why, received_at }) => (
        <li key={id}>
          <Link to="/p/$projectId/events/$eventId" params={{ projectId, eventId: id }} className={classes.item}>
            <Text truncate flex={1} component="span" c={text ? undefined : 'dimmed'}>
              {text ?? event_type ?? eventTexts.noText}
            </Text>
            <MessageState state={state} why={why} />
            <Text size="sm" c="dimmed" component="span" className={classes.time}>
              <When at={received_at} relative />
            </Text>
          </Link>
        </li>
      ))}
    </ul>
  );
}
