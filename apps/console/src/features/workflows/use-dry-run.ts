import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { answer, api } from '../../api/client.js';
import { projectKey, useProjectId } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import type { Schema } from '../../api/named-schema.js';
import type { TriggerValues } from './trigger-values.js';

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
