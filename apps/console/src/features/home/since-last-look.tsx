import { Anchor, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { homeTexts } from '../../texts/home.js';
import { ProjectLink } from '../../ui/links.js';
import { grouped } from '../../ui/numbers.js';
import { Section } from '../../ui/page.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';

const texts = homeTexts.sinceLastLook;
const everyMs = 30_000;

interface SinceLastLookProps {
  since: string;
  onRead: () => void;
}

/** What became of the events that came since the last visit; nothing where none came. */
export default function SinceLastLook({ since, onRead }: SinceLastLookProps): ReactNode {
  const { data } = useProjectQuery(
    ['events', 'since', since],
    (signal) => answer(api.GET('/api/v1/statistics/states', { params: { query: { since } }, signal })),
    { refetchInterval: everyMs },
  );
  if (!data || data.data.length === 0) return null;
  const all = data.data.reduce((sum, { count }) => sum + count, 0);
  return (
    <Section
      title={texts.title}
      actions={
        <Anchor component="button" type="button" size="sm" c="dimmed" onClick={onRead}>
          {texts.hide}
        </Anchor>
      }
    >
      <Text size="sm" c="dimmed" mb="sm">
        <ProjectLink path="/events" search={{ since }} underline="always">
          {texts.events(all, data.cut)}
        </ProjectLink>{' '}
        {texts.came} <When at={since} relative />.
      </Text>
      <Group gap="lg" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
        {data.data.map(({ state, count }) => (
          <li key={state}>
            <ProjectLink path="/events" search={{ outcome: state, since }} c="inherit">
              <Group gap={6} component="span">
                <Text span fw={600}>
                  {grouped(count)}
                </Text>
                <StatusBadge status={state} />
              </Group>
            </ProjectLink>
          </li>
        ))}
      </Group>
    </Section>
  );
}
