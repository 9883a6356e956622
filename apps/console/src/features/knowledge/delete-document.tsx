import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { projectKey, useProjectId } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { knowledgeTexts } from '../../texts/knowledge.js';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { ProblemAlert } from '../../ui/problem-alert.js';

const texts = knowledgeTexts.document;

export function DeleteDocument({ id }: { id: string }): ReactNode {
  const may = useScope('knowledge:write');
  const projectId = useProjectId();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () => answer(api.DELETE('/api/v1/knowledge/{id}', { params: { path: { id } } })),
    onSuccess: async () => {
      await navigate({ to: '/p/$projectId/knowledge', params: { projectId } });
      await queryClient.invalidateQueries({ queryKey: projectKey(projectId, ['knowledge']) });
    },
  });
  if (!may) return null;
  return (
    <>
      <ConfirmButton question={texts.removeQuestion} loading={remove.isPending} onConfirm={() => remove.mutate()}>
        {texts.remove}
      </ConfirmButton>
      <ProblemAlert error={remove.error} />
    </>
  );
}
