import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { useProjectId } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { toolTexts } from '../../texts/tools.js';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { useToolRefresh } from './use-tool-refresh.js';

export function DeleteTool({ id }: { id: string }): ReactNode {
  const may = useScope('tools:write');
  const projectId = useProjectId();
  const navigate = useNavigate();
  const refresh = useToolRefresh();
  const remove = useMutation({
    mutationFn: () => answer(api.DELETE('/api/v1/tools/{id}', { params: { path: { id } } })),
    onSuccess: async () => {
      await navigate({ to: '/p/$projectId/tools', params: { projectId } });
      await refresh();
    },
  });
  if (!may) return null;
  const { remove: label, removeQuestion } = toolTexts.python;
  return (
    <>
      <ConfirmButton question={removeQuestion} loading={remove.isPending} onConfirm={() => remove.mutate()}>
        {label}
      </ConfirmButton>
      <ProblemAlert error={remove.error} />
    </>
  );
}
