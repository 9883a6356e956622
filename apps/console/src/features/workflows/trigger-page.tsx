import { Skeleton } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { answerWithEtag, api } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { ChangedBy } from '../../ui/changed-by.js';
import { VersionHistory } from '../../ui/version-history.js';
import { UrlTabs } from '../../ui/url-tabs.js';
import { historyTexts } from '../../texts/history.js';
import { triggerHistory } from './histories.js';
import { Page } from '../../ui/page.js';
import { ProblemAlert } from '../../ui/notices.js';
import { workflowTexts } from '../../texts/workflows.js';
import { TriggerEditor } from './trigger-editor.js';
import { useWorkflow } from './queries.js';

const newRoute = getRouteApi('/p/$projectId/workflows/$workflowId/new-trigger');
const route = getRouteApi('/p/$projectId/workflows/$workflowId/triggers/$triggerId');

export function NewTriggerPage(): ReactNode {
  const { projectId, workflowId } = newRoute.useParams();
  const { show } = newRoute.useSearch();
  const navigate = useNavigate({ from: '/p/$projectId/workflows/$workflowId/new-trigger' });
  return (
    <TriggerFrame projectId={projectId} workflowId={workflowId} title={workflowTexts.trigger.newTitle}>
      <TriggerEditor
        workflowId={Number(workflowId)}
        saved={null}
        etag={null}
        show={show}
        onShow={(next) => void navigate({ search: next ? { show: next } : {}, replace: true })}
      />
    </TriggerFrame>
  );
}

export function TriggerPage(): ReactNode {
  const { projectId, workflowId, triggerId } = route.useParams();
  const { show, tab = 'rules' } = route.useSearch();
  const navigate = useNavigate({ from: '/p/$projectId/workflows/$workflowId/triggers/$triggerId' });
  const { data, error, refetch } = useProjectQuery(['triggers', triggerId], (signal) =>
    answerWithEtag(api.GET('/api/v1/triggers/{id}', { params: { path: { id: triggerId } }, signal })),
  );
  return (
    <TriggerFrame
      projectId={projectId}
      workflowId={workflowId}
      title={workflowTexts.trigger.title}
      description={<ChangedBy of={triggerHistory(triggerId)} />}
    >
      {error && !data && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={420} />}
      {data && (
        <UrlTabs
          label={workflowTexts.trigger.title}
          value={tab}
          onChange={(next) => void navigate({ search: { tab: next } })}
          tabs={[
            {
              value: 'rules',
              label: workflowTexts.trigger.rulesTab,
              content: (
                <TriggerEditor
                  workflowId={Number(workflowId)}
                  saved={data.data}
                  etag={data.etag}
                  show={show}
                  onShow={(next) => void navigate({ search: next ? { show: next } : {}, replace: true })}
                />
              ),
            },
            {
              value: 'versions',
              label: historyTexts.tab,
              content: <VersionHistory of={triggerHistory(triggerId)} />,
            },
          ]}
        />
      )}
    </TriggerFrame>
  );
}

interface TriggerFrameProps {
  projectId: string;
  workflowId: string;
  title: string;
  description?: ReactNode;
  children: ReactNode;
}

function TriggerFrame({ projectId, workflowId, title, description, children }: TriggerFrameProps): ReactNode {
  const { data: workflow } = useWorkflow(Number(workflowId));
  return (
    <Page
      title={title}
      description={description}
      breadcrumbs={[
        { label: workflowTexts.title, to: { to: '/p/$projectId/workflows', params: { projectId } } },
        {
          label: workflow?.data.name ?? workflowId,
          to: { to: '/p/$projectId/workflows/$workflowId', params: { projectId, workflowId } },
        },
      ]}
    >
      {children}
    </Page>
  );
}
