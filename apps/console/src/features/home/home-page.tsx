import { Anchor, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { useCursorList, useProjectId } from '../../api/project-query.js';
import { homeTexts } from '../../texts/home.js';
import { Page } from '../../ui/page.js';
import { Section } from '../../ui/section.js';
import { useLiveEvents } from '../../api/use-live-events.js';
import { Attention } from './attention.js';
import { FirstMinutes } from './first-minutes.js';
import { RecentEvents } from './recent-events.js';

const recent = 8;

export function HomePage(): ReactNode {
  const projectId = useProjectId();
  const events = useCursorList(['events', 'recent'], (_cursor, signal) =>
    answer(api.GET('/api/v1/events', { params: { query: { limit: recent } }, signal })),
  );
  useLiveEvents({});
  return (
    <Page title={homeTexts.title}>
      <Stack gap="md">
        {!events.loading && <FirstMinutes newest={events.rows} />}
        <Section title={homeTexts.attention.title}>
          <Attention />
        </Section>
        <Section
          title={homeTexts.recent.title}
          actions={
            <Anchor
              size="sm"
              renderRoot={(props) => <Link {...props} to="/p/$projectId/events" params={{ projectId }} />}
            >
              {homeTexts.recent.all}
            </Anchor>
          }
          flush
        >
          <RecentEvents list={events} />
        </Section>
      </Stack>
    </Page>
  );
}
