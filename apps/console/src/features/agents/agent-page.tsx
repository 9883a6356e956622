import { Badge, Skeleton } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { answerWithEtag, api } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { agentTexts } from '../../texts/agents.js';
import { CopyText } from '../../ui/copy-text.js';
import { Page } from '../../ui/page.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { AgentEditor } from './agent-editor.js';
import { DeleteAgent } from './delete-agent.js';

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
