import { useDebouncedValue } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { keepPreviousData, useMutation, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { answer, api, type Schema } from '../../api/client.js';
import { projectKey, useProjectId } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { useRefresh } from '../../api/use-change.js';
import { touched } from './queries.js';

/** The fields of the trigger form. */
export interface TriggerValues {
  app_id: string;
  event_types: string[];
  where: string;
  limit_per_minute: number | null;
  contact_limit_per_hour: number | null;
  debounce_seconds: number | null;
  debounce_max_seconds: number | null;
  active: boolean;
}

export const emptyTrigger: TriggerValues = {
  app_id: '',
  event_types: [],
  where: '',
  limit_per_minute: null,
  contact_limit_per_hour: null,
  debounce_seconds: null,
  debounce_max_seconds: null,
  active: true,
};

export function valuesOf(trigger: Schema<'TriggerView'>): TriggerValues {
  const { id: _id, organization_id: _organization, project_id: _project, workflow_id: _workflow, ...rules } = trigger;
  const { created_at: _created, ...values } = rules;
  return { ...values, where: values.where ?? '' };
}

/** The fields that show their own error. */
export const triggerFields = Object.keys(emptyTrigger).filter((name) => name !== 'where');

const typingMs = 300;
const tried = 100;

export interface Tried {
  result: UseQueryResult<Schema<'DryRunView'>>;
  /** Whether the person may run it at all. */
  may: boolean;
}

/** Tries the rules on stored messages as they are typed. */
export function useDryRun({ app_id, event_types, where }: TriggerValues): Tried {
  const projectId = useProjectId();
  const may = [useScope('workflows:write'), useScope('events:read')].every(Boolean);
  const [asked] = useDebouncedValue(JSON.stringify({ app_id, event_types, where }), typingMs);
  const result = useQuery({
    queryKey: projectKey(projectId, ['triggers', 'dry-run', asked]),
    enabled: may && app_id !== '',
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
      const rules = JSON.parse(asked) as Pick<TriggerValues, 'app_id' | 'event_types' | 'where'>;
      return answer(api.POST('/api/v1/triggers/dry-run', { body: { ...rules, limit: tried }, signal }));
    },
  });
  return { result, may };
}

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
