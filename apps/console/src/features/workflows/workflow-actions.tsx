import { Textarea } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Pause, Play, Power } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useProjectId } from '../../api/project-query.js';
import { workflowTexts } from '../../texts/workflows.js';
import { ActionButton, ConfirmButton } from '../../ui/action-button.js';
import { useReason } from '../../ui/editable.js';
import { FormModal } from '../../ui/dialog.js';
import { ProblemAlert } from '../../ui/notices.js';
import { useRefresh } from '../../api/use-change.js';
import { touched } from './queries.js';

type Status = Schema<'WorkflowView'>['status'];

/** Suspend and release, turn off and on, discard waiting runs, and start a run. */
export function WorkflowActions({ workflow: { id, status } }: { workflow: Schema<'WorkflowView'> }): ReactNode {
  const texts = workflowTexts.status;
  const reason = useReason('workflows:write');
  const refresh = useRefresh(...touched);
  const [starting, setStarting] = useState(false);
  const change = useMutation({
    mutationFn: (next: Status) =>
      answer(api.PATCH('/api/v1/workflows/{id}', { params: { path: { id } }, body: { status: next } })),
    onSettled: refresh,
  });
  const discard = useMutation({
    mutationFn: () => answer(api.POST('/api/v1/workflows/{id}/discard', { params: { path: { id } } })),
    onSuccess: ({ discarded }) => notifications.show({ message: texts.discarded(discarded) }),
    onSettled: refresh,
  });
  const start = (
    <ActionButton leftSection={<Play size={14} aria-hidden />} reason={reason} onClick={() => setStarting(true)}>
      {workflowTexts.start.action}
    </ActionButton>
  );
  if (reason) return start;
  return (
    <>
      {status === 'suspended' && (
        <ConfirmButton question={texts.discardQuestion} loading={discard.isPending} onConfirm={() => discard.mutate()}>
          {texts.discard}
        </ConfirmButton>
      )}
      {status !== 'off' && (
        <ConfirmButton
          question={texts.offQuestion}
          leftSection={<Power size={14} aria-hidden />}
          onConfirm={() => change.mutate('off')}
        >
          {texts.off}
        </ConfirmButton>
      )}
      {status === 'active' ? (
        <ConfirmButton
          question={texts.suspendQuestion}
          leftSection={<Pause size={14} aria-hidden />}
          onConfirm={() => change.mutate('suspended')}
        >
          {texts.suspend}
        </ConfirmButton>
      ) : (
        <ActionButton variant="default" loading={change.isPending} onClick={() => change.mutate('active')}>
          {status === 'suspended' ? texts.release : texts.on}
        </ActionButton>
      )}
      {start}
      <ProblemAlert error={change.error ?? discard.error} />
      <StartRun workflowId={id} opened={starting} onClose={() => setStarting(false)} />
    </>
  );
}

interface StartRunProps {
  workflowId: number;
  opened: boolean;
  onClose: () => void;
}

function StartRun({ workflowId, opened, onClose }: StartRunProps): ReactNode {
  const texts = workflowTexts.start;
  const projectId = useProjectId();
  const navigate = useNavigate();
  const refresh = useRefresh(...touched);
  const [message, setMessage] = useState('');
  const start = useMutation({
    mutationFn: () =>
      answer(api.POST('/api/v1/workflows/{id}/runs', { params: { path: { id: workflowId } }, body: { message } })),
    onSuccess: ({ id }) => {
      void refresh();
      void navigate({ to: '/p/$projectId/runs/$runId', params: { projectId, runId: id } });
    },
  });
  return (
    <FormModal
      opened={opened}
      title={texts.title}
      submit={texts.go}
      saving={start.isPending}
      error={start.error}
      onSubmit={() => start.mutate()}
      onClose={onClose}
    >
      <Textarea
        label={texts.message}
        description={texts.hint}
        autosize
        minRows={3}
        maxRows={14}
        data-autofocus
        value={message}
        onChange={(event) => setMessage(event.currentTarget.value)}
      />
    </FormModal>
  );
}
