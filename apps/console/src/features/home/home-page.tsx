import { Skeleton, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useApps } from '../../api/apps.js';
import { useCursorList, useProjectQuery } from '../../api/project-query.js';
import { useLiveEvents } from '../../api/use-live-events.js';
import { homeTexts } from '../../texts/home.js';
import { Page } from '../../ui/page.js';
import { ProjectLink } from '../../ui/project-link.js';
import { Section } from '../../ui/section.js';
import { useDrawnReady } from '../../ui/use-drawn-ready.js';
import { Attention } from './attention.js';
import { FirstMinutes } from './first-minutes.js';
import { Health } from './health.js';
import { askRecent, modelQuestion, recentKey, verificationQuestion } from './questions.js';
import { RecentEvents } from './recent-events.js';

export function HomePage(): ReactNode {
  const events = useCursorList(recentKey, askRecent);
  const apps = useApps();
  const verified = useProjectQuery(...verificationQuestion);
  const model = useProjectQuery(...modelQuestion);
  useLiveEvents({});
  // What a new project shows first would move everything else down, and is known only with all of these.
  const ready = useDrawnReady(!events.loading && ![apps, verified, model].some(({ isPending }) => isPending));
  if (!ready) return <Waiting />;
  return (
    <Page title={homeTexts.title} description={homeTexts.description}>
      <Stack gap="md">
        <FirstMinutes newest={events.rows} />
        <Section title={homeTexts.attention.title}>
          <Attention />
        </Section>
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
