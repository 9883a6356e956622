import { Anchor, Group, Skeleton, Stack, Text, ThemeIcon } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { CircleCheck, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useApps } from '../../api/apps.js';
import { answer, api } from '../../api/client.js';
import { useProjectId, useProjectQuery } from '../../api/project-query.js';
import type { Schema } from '../../api/types.js';
import { homeTexts } from '../../texts/home.js';
import { ProblemAlert } from '../../ui/problem-alert.js';

const texts = homeTexts.attention;
const shown = 5;

/** One line for each thing that somebody has to see to. */
export function Attention(): ReactNode {
  const projectId = useProjectId();
  const apps = useApps();
  const letters = useProjectQuery(['events', 'dead-letters', 'open'], (signal) =>
    answer(api.GET('/api/v1/events/dead-letters', { params: { query: { state: 'open', limit: shown } }, signal })),
  );
  const error = apps.error ?? letters.error;
  if (error) return <ProblemAlert error={error} />;
  if (!apps.data || !letters.data) return <Skeleton height={24} />;
  const complaints = apps.data.flatMap(complaintsOf);
  if (complaints.length + letters.data.data.length === 0)
    return (
      <Line good>
        <Text c="dimmed">{texts.none}</Text>
      </Line>
    );
  return (
    <Stack gap="xs">
      {complaints.map((complaint) => (
        <Line key={complaint}>{complaint}</Line>
      ))}
      {letters.data.data.map(({ id, reason, error: cause, receipt_id }) => (
        <Line key={id}>
          {texts.deadLetter(reason ?? cause ?? id)}{' '}
          <Anchor
            renderRoot={(props) => (
              <Link {...props} to="/p/$projectId/events/$eventId" params={{ projectId, eventId: receipt_id }} />
            )}
          >
            {texts.deadLetterAction}
          </Anchor>
        </Line>
      ))}
    </Stack>
  );
}

function complaintsOf({ name, missing, held_reason, renewal_failure, warnings }: Schema<'AppView'>): string[] {
  return [
    ...(missing.length > 0 ? [texts.missing(name, missing.join(', '))] : []),
    ...(held_reason ? [texts.held(name)] : []),
    ...(renewal_failure ? [texts.renewal(name)] : []),
    ...warnings.map(({ message }) => texts.warning(name, message)),
  ];
}

function Line({ good = false, children }: { good?: boolean; children: ReactNode }): ReactNode {
  const Icon = good ? CircleCheck : TriangleAlert;
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <ThemeIcon variant="transparent" color={good ? 'teal' : 'yellow'} size="sm" mt={1}>
        <Icon size={16} aria-hidden />
      </ThemeIcon>
      <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>{children}</div>
    </Group>
  );
}
