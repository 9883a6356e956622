import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { answer, api } from '../../api/client.js';
import { useProjectId } from '../../api/project-query.js';
import { workflowTexts } from '../../texts/workflows.js';
import { useRefresh } from './queries.js';
import type { TriggerValues } from './trigger-values.js';

interface Saving {
  change: Partial<TriggerValues>;
  etag: string | null;
}

/** Creates, changes and deletes a trigger. */
export function useTriggerChanges(workflowId: number, triggerId: string) {
  const projectId = useProjectId();
  const navigate = useNavigate();
  const refresh = useRefresh();
  const toWorkflow = async (): Promise<void> => {
    await refresh();
    const params = { projectId, workflowId: String(workflowId) };
    await navigate({ to: '/p/$projectId/workflows/$workflowId', params });
  };
  const create = useMutation({
    mutationFn: ({ active: _active, ...rules }: TriggerValues) =>
      answer(api.POST('/api/v1/triggers', { body: { ...rules, workflow_id: workflowId } })),
    onSuccess: ({ warnings }) => {
      for (const { message } of warnings) notifications.show({ message, color: 'yellow', autoClose: false });
      return toWorkflow();
    },
  });
  const save = useMutation({
    mutationFn: ({ change: { app_id: _app, ...change }, etag }: Saving) =>
      answer(
        api.PATCH('/api/v1/triggers/{id}', {
          params: { path: { id: triggerId }, header: etag ? { 'If-Match': etag } : {} },
          body: change,
        }),
      ),
    onSuccess: () => notifications.show({ message: workflowTexts.trigger.saved, color: 'teal' }),
    onSettled: refresh,
  });
  const remove = useMutation({
    mutationFn: () => answer(api.DELETE('/api/v1/triggers/{id}', { params: { path: { id: triggerId } } })),
    onSuccess: toWorkflow,
  });
  return { create, save, remove };
}
