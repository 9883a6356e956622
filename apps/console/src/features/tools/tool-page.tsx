import { Alert, Skeleton, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useProjectId, useProjectQuery } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { useRefresh } from '../../api/use-change.js';
import { toolTexts } from '../../texts/tools.js';
import { ConfirmButton } from '../../ui/action-button.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Page, Section } from '../../ui/page.js';
import { GradeBadge, ToolStateBadge } from '../../ui/status-badge.js';
import { ToolReview } from '../../ui/tool-review.js';
import { UrlTabs } from '../../ui/url-tabs.js';
import { PythonTool } from './python-tool.js';
import { ToolCalls, ToolDetails, ToolVersions } from './tool-tabs.js';
import { TryTool } from './try-tool.js';
import { WhyNot } from './why-not.js';

const route = getRouteApi('/p/$projectId/tools/$toolId');

/** Discovery by schedule may find a change. */
const everyMs = 10_000;

export function ToolPage(): ReactNode {
  const { projectId, toolId } = route.useParams();
  const { tab = 'tool' } = route.useSearch();
  const navigate = useNavigate({ from: '/p/$projectId/tools/$toolId' });
  const {
    data: tool,
    error,
    refetch,
  } = useProjectQuery(
    ['tools', toolId],
    (signal) => answer(api.GET('/api/v1/tools/{id}', { params: { path: { id: toolId } }, signal })),
    { refetchInterval: everyMs },
  );
  const { tabs, stateHints, review } = toolTexts;
  return (
    <Page
      title={tool?.title ?? tool?.name ?? toolTexts.title}
      mark={
        tool && (
          <>
            <ToolStateBadge state={tool.state} />
            <GradeBadge grade={tool.grade} />
          </>
        )
      }
      description={tool?.description}
      breadcrumbs={[{ label: toolTexts.title, to: { to: '/p/$projectId/tools', params: { projectId } } }]}
      actions={tool?.source === 'python' && <DeleteTool id={tool.id} />}
    >
      {error && !tool && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!tool && !error && <Skeleton height={420} />}
      {tool && (
        <Stack gap="md">
          {tool.state !== 'approved' && (
            <Alert variant="light" color="yellow">
              {tool.problem ?? stateHints[tool.state]}
            </Alert>
          )}
          {tool.candidate_pin && (
            <Section title={tool.pin ? review.title : review.newTitle}>
              <ToolReview tool={tool} />
            </Section>
          )}
          <UrlTabs
            label={tool.name}
            value={tool.source === 'python' && tab === 'try' ? 'tool' : tab}
            onChange={(next) => void navigate({ search: { tab: next } })}
            tabs={[
              {
                value: 'tool',
                label: tabs.tool,
                content: tool.source === 'python' ? <PythonTool tool={tool} /> : <ToolDetails tool={tool} />,
              },
              // A Python tool is tried beside its source.
              ...(tool.source === 'python'
                ? []
                : [{ value: 'try' as const, label: tabs.try, content: <TryAndAsk tool={tool} /> }]),
              ...(tool.source === 'builtin'
                ? []
                : [
                    { value: 'versions' as const, label: tabs.versions, content: <ToolVersions tool={tool} /> },
                    { value: 'calls' as const, label: tabs.calls, content: <ToolCalls toolId={tool.id} /> },
                  ]),
            ]}
          />
        </Stack>
      )}
    </Page>
  );
}

function TryAndAsk({ tool }: { tool: Schema<'ToolView'> }): ReactNode {
  return (
    <Stack gap="md">
      <TryTool tool={tool} />
      <WhyNot tool={tool} />
    </Stack>
  );
}

function DeleteTool({ id }: { id: string }): ReactNode {
  const may = useScope('tools:write');
  const projectId = useProjectId();
  const navigate = useNavigate();
  const refresh = useRefresh('tools');
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
