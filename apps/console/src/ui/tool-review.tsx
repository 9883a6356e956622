import { Group, Skeleton, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../api/client.js';
import { useProjectQuery } from '../api/project-query.js';
import { useRefresh } from '../api/use-change.js';
import { toolTexts } from '../texts/tools.js';
import { ActionButton } from './action-button.js';
import { DifferenceTable, type LeafDifference, leafDifferences } from './diff-view.js';
import { useReason } from './editable.js';
import { ProblemAlert } from './notices.js';

const texts = toolTexts.review;

/** What a server changed of its tool, leaf by leaf, and approving exactly that. */
export function ToolReview({ tool }: { tool: Schema<'ToolView'> }): ReactNode {
  const reason = useReason('tools:write');
  const { data, error, refetch } = useProjectQuery(['tools', tool.id, 'difference', tool.candidate_pin], (signal) =>
    answer(api.GET('/api/v1/tools/{id}/difference', { params: { path: { id: tool.id } }, signal })),
  );
  const approve = useMutation({
    mutationFn: (pin: string) =>
      answer(api.POST('/api/v1/tools/{id}/approve', { params: { path: { id: tool.id } }, body: { pin } })),
    onSuccess: () => notifications.show({ message: texts.approving, color: 'teal' }),
    onSettled: useRefresh('tools', 'mcp-servers'),
  });
  if (error && !data) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={90} />;
  const { candidate_pin: pin, changes } = data;
  if (pin === null) return <Text c="dimmed">{texts.none}</Text>;
  return (
    <Stack gap="sm">
      <DifferenceTable label={texts.field} differences={changes.flatMap(leavesOf)} />
      <ProblemAlert error={approve.error} />
      <Group>
        <ActionButton
          leftSection={<Check size={15} aria-hidden />}
          reason={reason}
          loading={approve.isPending}
          onClick={() => approve.mutate(pin)}
        >
          {texts.approve}
        </ActionButton>
      </Group>
    </Stack>
  );
}

/** The API names places by JSON Pointer and gives a new value as a whole; it is shown leaf by leaf too. */
function leavesOf({ path, before, after }: Schema<'DefinitionChange'>): LeafDifference[] {
  const place = path.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
  const isNew = before === undefined || before === null;
  if (isNew && typeof after === 'object' && after !== null)
    return leafDifferences({}, after)
      .filter((leaf) => leaf.path !== '')
      .map((leaf) => ({ ...leaf, path: [place, leaf.path].filter(Boolean).join('.') }));
  const kind = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
  return [{ path: place, kind, before, after }];
}
