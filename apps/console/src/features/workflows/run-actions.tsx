import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useProjectId } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { workflowTexts } from '../../texts/workflows.js';
import { ConfirmButton } from '../../ui/action-button.js';
import { ProblemAlert } from '../../ui/notices.js';
import { useRefresh } from '../../api/use-change.js';
import { touched } from './queries.js';

type Run = Schema<'RunView'>;

const texts = workflowTexts.run;
const ended = ['succeeded', 'failed', 'cancelled', 'timed_out'];

/** Cancel a run in progress; retry or replay one that has ended. */
export function RunActions({ run }: { run: Run }): ReactNode {
  const may = useScope('workflows:write');
  const refresh = useRefresh(...touched);
  const [replaying, setReplaying] = useState(false);
  const open = useOpenRun();
  const request = { params: { path: { id: run.id } } };
  const cancel = useMutation({
    mutationFn: () => answer(api.POST('/api/v1/runs/{id}/cancel', request)),
    onSettled: refresh,
  });
  const retry = useMutation({
    mutationFn: () => answer(api.POST('/api/v1/runs/{id}/retry', request)),
    onSuccess: open,
  });
  const replay = useMutation({
    mutationFn: (deliver: boolean) => answer(api.POST('/api/v1/runs/{id}/replay', { ...request, body: { deliver } })),
    onSuccess: open,
  });
  if (!may) return null;
  return (
    <>
      {!ended.includes(run.state) && (
        <ConfirmButton question={texts.cancelQuestion} loading={cancel.isPending} onConfirm={() => cancel.mutate()}>
          {texts.cancel}
        </ConfirmButton>
      )}
      {run.state === 'failed' && (
        <Button variant="default" loading={retry.isPending} onClick={() => retry.mutate()}>
          {texts.retry}
        </Button>
      )}
      {ended.includes(run.state) && <Button onClick={() => setReplaying(true)}>{texts.replay}</Button>}
      <ProblemAlert error={cancel.error ?? retry.error} />
      <Modal opened={replaying} onClose={() => setReplaying(false)} title={texts.replayTitle}>
        <Stack gap="md">
          <Text>{texts.replayText}</Text>
          <Text size="sm">
            {texts.rehearse}: {texts.rehearseHint}
          </Text>
          <Text size="sm">
            {texts.deliver}: {texts.deliverHint}
          </Text>
          <ProblemAlert error={replay.error} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" loading={replay.isPending} onClick={() => replay.mutate(true)}>
              {texts.deliver}
            </Button>
            <Button loading={replay.isPending} onClick={() => replay.mutate(false)}>
              {texts.rehearse}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}

function useOpenRun(): (run: Run) => void {
  const projectId = useProjectId();
  const navigate = useNavigate();
  const refresh = useRefresh(...touched);
  return ({ id }) => {
    void refresh();
    void navigate({ to: '/p/$projectId/runs/$runId', params: { projectId, runId: id } });
  };
}
