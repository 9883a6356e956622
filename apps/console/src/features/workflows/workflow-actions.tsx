import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { Pause, Play, Power } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { workflowTexts } from '../../texts/workflows.js';
import { ActionButton, ConfirmButton } from '../../ui/action-button.js';
import { useReason } from '../../ui/editable.js';
import { ProblemAlert } from '../../ui/notices.js';
import { useRefresh } from '../../api/use-change.js';
import { touched } from './queries.js';
import { StartRun } from './start-run.js';

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
      {starting && <StartRun workflowId={id} onClose={() => setStarting(false)} />}
    </>
  );
}
