import { Alert, Skeleton, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { CircleCheck, TriangleAlert, WandSparkles } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { projectKey, useProjectQuery } from '../../api/project-query.js';
import { hasScope, useSession } from '../../api/session.js';
import { templateTexts as texts } from '../../texts/templates.js';
import { ActionButton } from '../../ui/action-button.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Page } from '../../ui/page.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { TemplateParts } from './template-parts.js';
import { TemplateSamples } from './template-samples.js';
import { TemplateSteps } from './template-steps.js';

type Template = Schema<'TemplateView'>;

const route = getRouteApi('/p/$projectId/templates/$templateId');
/** As the operation requires them. */
const scopes = ['apps', 'agents', 'tools', 'workflows', 'channels', 'credentials'].map((name) => `${name}:write`);

/** What a template makes in this project, what is left to people, and messages to try it with. */
export function TemplatePage(): ReactNode {
  const { projectId, templateId } = route.useParams();
  const queryClient = useQueryClient();
  const params = { path: { id: templateId } };
  const {
    data: seen,
    error,
    refetch,
  } = useProjectQuery(['template', templateId], (signal) =>
    answer(api.GET('/api/v1/templates/{id}', { params, signal })),
  );
  const apply = useMutation({
    mutationFn: () => answer(api.POST('/api/v1/templates/{id}/apply', { params })),
    // Everything that lists agents, Apps or rules is another one now.
    onSettled: () => queryClient.invalidateQueries({ queryKey: projectKey(projectId, []) }),
  });
  const { scopes: held } = useSession();
  const lacks = scopes.filter((scope) => !hasScope(held, scope));
  const template = apply.data ? withSteps(apply.data, seen) : seen;
  return (
    <Page
      title={template?.name ?? texts.title}
      mark={template?.complete && <StatusBadge status="ready" label={texts.complete} />}
      description={template?.description}
      breadcrumbs={[{ label: texts.title, to: { to: '/p/$projectId/templates', params: { projectId } } }]}
      actions={
        template &&
        !template.complete && (
          <ActionButton
            leftSection={<WandSparkles size={16} aria-hidden />}
            reason={lacks.length === 0 ? null : texts.lacksScopes(lacks.join(', '))}
            loading={apply.isPending}
            onClick={() => apply.mutate()}
          >
            {template.parts.some(({ id }) => id !== null) ? texts.rest : texts.apply}
          </ActionButton>
        )
      }
    >
      {error && !template && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!template && !error && <Skeleton height={420} />}
      {template && (
        <Stack gap="md">
          <ProblemAlert error={apply.error} />
          {apply.data && <Outcome template={apply.data} />}
          {/* First what it would make; once that is there, how to try it. */}
          {!template.complete && <TemplateParts template={template} />}
          {template.complete && <TemplateSamples template={template} />}
          <TemplateSteps template={template} />
          {template.complete ? <TemplateParts template={template} /> : <TemplateSamples template={template} />}
        </Stack>
      )}
    </Page>
  );
}

/** What was made stays shown, while the steps and the rest tick themselves off. */
function withSteps(applied: Template, seen: Template | undefined): Template {
  if (!seen) return applied;
  const parts = applied.parts.map((part, at) =>
    part.state === 'failed' ? part : { ...part, id: seen.parts[at]?.id ?? part.id },
  );
  return { ...applied, parts, complete: seen.complete || applied.complete, open_steps: seen.open_steps };
}

function Outcome({ template: { parts } }: { template: Template }): ReactNode {
  const failed = parts.find(({ state }) => state === 'failed');
  const made = parts.filter(({ state }) => state === 'made').length;
  return failed ? (
    <Alert
      variant="light"
      color="red"
      role="alert"
      icon={<TriangleAlert size={18} aria-hidden />}
      title={texts.stopped(failed.name)}
    >
      {failed.problem?.detail}
    </Alert>
  ) : (
    <Alert variant="light" color="teal" role="status" icon={<CircleCheck size={18} aria-hidden />}>
      {texts.applied(made)}
    </Alert>
  );
}
