import { Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { answer, api } from '../../api/client.js';
import { useProjectId } from '../../api/project-query.js';
import { workflowTexts } from '../../texts/workflows.js';
import { FormModal } from '../../ui/form-modal.js';
import { useRefresh } from './queries.js';

interface StartRunProps {
  workflowId: number;
  opened: boolean;
  onClose: () => void;
}

export function StartRun({ workflowId, opened, onClose }: StartRunProps): ReactNode {
  const texts = workflowTexts.start;
  const projectId = useProjectId();
  const navigate = useNavigate();
  const refresh = useRefresh();
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
