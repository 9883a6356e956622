import { Alert, Stack, Text } from '@mantine/core';
import { Hand } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api } from '../../../../api/client.js';
import { useProjectQuery } from '../../../../api/project-query.js';
import { eventPageTexts } from '../../../../texts/event.js';
import { JsonView } from '../../../../ui/json-view.js';
import { ProjectLink } from '../../../../ui/project-link.js';
import { When } from '../../../../ui/when.js';

const texts = eventPageTexts.approval;

/** Calls of a turn that wait for a person, with what they would be made with. */
export function TurnApprovals({ eventId, turnId }: { eventId: string; turnId: string }): ReactNode {
  const { data = [] } = useProjectQuery(['event', eventId, 'approvals'], async (signal) => {
    const query = { state: 'pending' as const, limit: 200 };
    return (await answer(api.GET('/api/v1/approvals', { params: { query }, signal }))).data;
  });
  return (
    <Stack gap="xs">
      {data
        .filter(({ turn_id }) => turn_id === turnId)
        .map(({ id, tool, grade, arguments: given, expires_at }) => (
          <Alert
            key={id}
            color="yellow"
            variant="light"
            icon={<Hand size={18} aria-hidden />}
            title={`${texts.title}: ${tool} (${grade})`}
            styles={{ title: { color: 'var(--mantine-color-text)' } }}
          >
            <Text size="sm" mb={6}>
              {texts.until} <When at={expires_at} /> · <ProjectLink path={`/approvals/${id}`}>{texts.open}</ProjectLink>
            </Text>
            <JsonView label={texts.arguments} value={given} depth={2} />
          </Alert>
        ))}
    </Stack>
  );
}
