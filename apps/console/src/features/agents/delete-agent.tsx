import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { projectKey, useProjectId } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { agentTexts } from '../../texts/agents.js';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { ProblemAlert } from '../../ui/problem-alert.js';

export function DeleteAgent({ id }: { id: string }): ReactNode {
  const may = useScope('agents:write');
  const projectId = useProjectId();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () => answer(api.DELETE('/api/v1/agents/{id}', { params: { path: { id } } })),
    onSuccess: async () => {
      await navigate({ to: '/p/$projectId/agents', params: { projectId } });
      await queryClient.invalidateQueries({ queryKey: projectKey(projectId, ['agents']) });
    },
  });
  if (!may) return null;
  return (
    <>
      <ConfirmButton question={agentTexts.removeQuestion} loading={remove.isPending} onConfirm={() => remove.mutate()}>
        {agentTexts.remove}
      </ConfirmButton>
      <ProblemAlert error={remove.error} />
    </>
  );
}
