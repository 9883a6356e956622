import { CloseButton, Group, List, Paper, Progress, Skeleton, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { answer, api } from '../../api/client.js';
import type { components } from '../../api/schema.js';
import { projectKey, useProjectId, useProjectQuery } from '../../api/project-query.js';
import { useChange } from '../../api/use-change.js';
import { operationsTexts } from '../../texts/operations.js';
import { uiTexts } from '../../texts/ui.js';
import { ActionButton } from '../../ui/action-button.js';
import { useReason } from '../../ui/editable.js';
import { ProblemAlert } from '../../ui/notices.js';

const texts = operationsTexts.batch;
const everyMs = 1_000;

/** The progress of a batch, its failures, and a way to stop it. Its id is in the URL, so that it survives a reload. */
export function BatchProgress({ id, onClose }: { id: string; onClose: () => void }): ReactNode {
  const params = { path: { id } };
  const reason = useReason('events:write');
  const { data: batch, error } = useProjectQuery(
    ['batches', id],
    (signal) => answer(api.GET('/api/v1/events/batches/{id}', { params, signal })),
    { refetchInterval: (last) => (last && isKnown(last) ? false : everyMs) },
  );
  const queryClient = useQueryClient();
  const projectId = useProjectId();
  const gone = batch && batch.done + batch.failed;
  useEffect(() => {
    if (gone) void queryClient.invalidateQueries({ queryKey: projectKey(projectId, ['dead-letters']) });
  }, [gone]);
  const cancel = useChange(() => answer(api.POST('/api/v1/events/batches/{id}/cancel', { params })), 'batches');
  if (error && !batch) return <ProblemAlert error={error} />;
  if (!batch) return <Skeleton height={72} />;
  const { total, done, failed, cancelled, state, failures, became } = batch;
  const share = (count: number): number => (total === 0 ? 0 : (count / total) * 100);
  return (
    <Paper role="status">
      <Group justify="space-between" mb={8}>
        <Text fw={500}>{state === 'finished' ? texts.finished(total) : texts.running(done + failed, total)}</Text>
        <Group gap="xs">
          {state === 'running' && (
            <ActionButton size="compact-sm" variant="default" reason={reason} onClick={() => cancel.mutate()}>
              {texts.cancel}
            </ActionButton>
          )}
          {state === 'finished' && <CloseButton aria-label={uiTexts.close} onClick={onClose} />}
        </Group>
      </Group>
      <Progress.Root size="md">
        <Progress.Section value={share(done)} color="teal.8" aria-label={texts.done(done)} />
        <Progress.Section value={share(failed)} color="red.8" aria-label={texts.failed(failed)} />
        <Progress.Section value={share(cancelled)} color="gray.6" aria-label={texts.cancelled(cancelled)} />
      </Progress.Root>
      <Text size="sm" c="dimmed" mt={6}>
        {[texts.done(done), failed > 0 && texts.failed(failed), cancelled > 0 && texts.cancelled(cancelled)]
          .filter(Boolean)
          .join(' · ')}
      </Text>
      {became.length > 0 && (
        <Text size="sm" mt={6}>
          {became.map(({ outcome, count }) => texts.became(outcome, count)).join(' · ')}
        </Text>
      )}
      {failures.length > 0 && (
        <List size="sm" mt={6}>
          {failures.map((failure) => (
            <List.Item key={failure.id}>
              <code>{failure.id}</code> {failure.error}
            </List.Item>
          ))}
        </List>
      )}
      <ProblemAlert error={cancel.error} />
    </Paper>
  );
}

/** Finished, and it is known what became of each. */
function isKnown({ state, became }: components['schemas']['BatchView']): boolean {
  return state === 'finished' && !became.some(({ outcome }) => outcome === 'redriving');
}
