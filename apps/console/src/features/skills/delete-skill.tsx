import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { useProjectId } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { skillTexts } from '../../texts/skills.js';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { useSkillRefresh } from './use-skill-refresh.js';

export function DeleteSkill({ id }: { id: string }): ReactNode {
  const may = useScope('tools:write');
  const projectId = useProjectId();
  const navigate = useNavigate();
  const refresh = useSkillRefresh();
  const remove = useMutation({
    mutationFn: () => answer(api.DELETE('/api/v1/skills/{id}', { params: { path: { id } } })),
    onSuccess: async () => {
      await navigate({ to: '/p/$projectId/skills', params: { projectId } });
      await refresh();
    },
  });
  if (!may) return null;
  return (
    <>
      <ConfirmButton question={skillTexts.removeQuestion} loading={remove.isPending} onConfirm={() => remove.mutate()}>
        {skillTexts.remove}
      </ConfirmButton>
      <ProblemAlert error={remove.error} />
    </>
  );
}
