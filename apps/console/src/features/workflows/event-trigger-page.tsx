import { Select, Skeleton, Stack, Text } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { eventTexts } from '../../texts/events.js';
import { workflowTexts } from '../../texts/workflows.js';
import { ProjectLink } from '../../ui/links.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Page, Section } from '../../ui/page.js';
import { useWorkflows } from './queries.js';
import { TriggerEditor } from './trigger-editor.js';

const route = getRouteApi('/p/$projectId/events/$eventId/new-trigger');
const texts = workflowTexts.fromEvent;

/** A new trigger for messages like that of an event. */
export function EventTriggerPage(): ReactNode {
  const { projectId, eventId } = route.useParams();
  const { show } = route.useSearch();
  const navigate = useNavigate({ from: '/p/$projectId/events/$eventId/new-trigger' });
  const event = useProjectQuery(['event', eventId], (signal) =>
    answer(api.GET('/api/v1/events/{id}', { params: { path: { id: eventId } }, signal })),
  );
  const workflows = useWorkflows();
  const [chosen, setChosen] = useState<string | null>(null);
  const [only, ...others] = workflows.data ?? [];
  const workflow = chosen ?? (only && others.length === 0 ? String(only.id) : null);
  const error = event.error ?? workflows.error;
  const ready = event.data && workflows.data;
  return (
    <Page
      title={workflowTexts.trigger.newTitle}
      description={texts.description}
      breadcrumbs={[
        { label: eventTexts.title, to: { to: '/p/$projectId/events', params: { projectId } } },
        { label: eventId, to: { to: '/p/$projectId/events/$eventId', params: { projectId, eventId } } },
      ]}
    >
      {error && !ready && <ProblemAlert error={error} />}
      {!ready && !error && <Skeleton height={420} />}
      {ready && (
        <Stack gap="md">
          <Section title={texts.workflow}>
            {only ? (
              <Select
                label={texts.workflow}
                description={texts.workflowHint}
                required
                searchable
                data={workflows.data.map(({ id, name }) => ({ value: String(id), label: name }))}
                value={workflow}
                onChange={setChosen}
              />
            ) : (
              <Text>
                {texts.noWorkflow} <ProjectLink path="/workflows">{texts.toWorkflows}</ProjectLink>
              </Text>
            )}
          </Section>
          {workflow !== null && (
            <TriggerEditor
              workflowId={Number(workflow)}
              saved={null}
              etag={null}
              proposed={likeThat(event.data)}
              show={show}
              onShow={(next) => void navigate({ search: next ? { show: next } : {}, replace: true })}
            />
          )}
        </Stack>
      )}
    </Page>
  );
}

/** Messages of the same App and type. */
const likeThat = ({ app_id, messages }: Schema<'EventDetailView'>): { app_id: string; event_types: string[] } => {
  const type = messages[0]?.message.event_type;
  return { app_id: app_id ?? '', event_types: type ? [type] : [] };
};
