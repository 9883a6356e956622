import { Skeleton, Stack, Text } from '@mantine/core';
import { History } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { usePrincipalName } from '../../api/principals.js';
import { useProjectQuery } from '../../api/project-query.js';
import type { Schema } from '../../api/named-schema.js';
import { toolTexts } from '../../texts/tools.js';
import { DiffView } from '../../ui/diff-view.js';
import { EmptyState } from '../../ui/empty-state.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { Section } from '../../ui/section.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';

const texts = toolTexts.versions;

/** Earlier definitions, newest first, each with what it changed. */
export function ToolVersions({ tool }: { tool: Schema<'ToolView'> }): ReactNode {
  const nameOf = usePrincipalName();
  const { data, error, refetch } = useProjectQuery(['tools', tool.id, 'versions'], (signal) =>
    answer(api.GET('/api/v1/tools/{id}/versions', { params: { path: { id: tool.id } }, signal })),
  );
  if (error && !data) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={200} />;
  if (data.data.length === 0) return <EmptyState icon={History} {...texts.empty} />;
  return (
    <Stack gap="md">
      {data.data.map(({ number, pin, definition, approved_by, approved_at }, index) => {
        const before = data.data[index + 1];
        return (
          <Section
            key={number}
            title={texts.number(number)}
            actions={
              <Text size="sm" c="dimmed" component="span">
                {pin === tool.pin && <StatusBadge status="active" label={texts.current} />} <When at={approved_at} />{' '}
                {texts.by(nameOf(approved_by))}
              </Text>
            }
          >
            {before ? (
              <DiffView label={texts.difference} before={before.definition} after={definition} />
            ) : (
              <Text c="dimmed">{texts.first}</Text>
            )}
          </Section>
        );
      })}
    </Stack>
  );
}
