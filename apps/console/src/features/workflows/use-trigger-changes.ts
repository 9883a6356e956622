import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { answer, api } from '../../api/client.js';
import { useProjectId } from '../../api/project-query.js';
import { useRefresh } from '../../api/use-change.js';
import { touched } from './queries.js';
import type { TriggerValues } from './trigger-values.js';

/** Creates and deletes a trigger. */
export function useTriggerChanges(workflowId: number, triggerId: string) {
  const projectId = useProjectId();
  const navigate = useNavigate();
  const refresh = useRefresh(...touched);
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
  const remove = useMutation({
    mutationFn: () => answer(api.DELETE('/api/v1/triggers/{id}', { params: { path: { id: triggerId } } })),
    onSuccess: toWorkflow,
  });
  return { create, remove };
}
