import { Badge, Skeleton } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { answer, answerWithEtag, api } from '../../api/client.js';
import { projectKey, useProjectId, useProjectQuery } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { agentTexts } from '../../texts/agents.js';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { CopyText } from '../../ui/copy-text.js';
import { Page } from '../../ui/page.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { AgentEditor } from './agent-editor.js';

const route = getRouteApi('/p/$projectId/agents/$agentId');

export function AgentPage(): ReactNode {
  const { projectId, agentId } = route.useParams();
  const { data, error, refetch } = useProjectQuery(['agents', agentId], (signal) =>
    answerWithEtag(api.GET('/api/v1/agents/{id}', { params: { path: { id: agentId } }, signal })),
  );
  const agent = data?.data;
  return (
    <Page
      title={agent?.name ?? agentTexts.title}
      mark={
        agent?.is_chief_of_staff && (
          <Badge variant="default" radius="sm" tt="none" fw={500}>
            {agentTexts.chiefOfStaff}
          </Badge>
        )
      }
      description={agent?.is_chief_of_staff ? agentTexts.chiefHint : <CopyText text={agentId} />}
      breadcrumbs={[{ label: agentTexts.title, to: { to: '/p/$projectId/agents', params: { projectId } } }]}
      actions={agent && !agent.is_chief_of_staff && <DeleteAgent id={agent.id} />}
    >
      {error && !agent && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!agent && !error && <Skeleton height={420} />}
      {data && <AgentEditor key={agentId} agent={data.data} etag={data.etag} />}
    </Page>
  );
}

function DeleteAgent({ id }: { id: string }): ReactNode {
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
