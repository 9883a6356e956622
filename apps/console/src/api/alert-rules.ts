import type { UseQueryResult } from '@tanstack/react-query';
import { answer, api, type Schema } from './client.js';
import { useProjectQuery } from './project-query.js';

export type AlertRule = Schema<'AlertRuleView'>;

/** A project has at most 50. */
const most = 100;
const everyMs = 30_000;

/** The project's alert rules, oldest first. */
export const useAlertRules = (enabled = true): UseQueryResult<AlertRule[]> =>
  useProjectQuery(
    ['alert-rules', 'all'],
    async (signal) =>
      (await answer(api.GET('/api/v1/alert-rules', { params: { query: { limit: most } }, signal }))).data,
    { refetchInterval: everyMs, enabled },
  );

export const muteRule = (id: string, hours: number): Promise<AlertRule> =>
  answer(api.POST('/api/v1/alert-rules/{id}/mute', { params: { path: { id } }, body: { hours } }));

/** Whether nobody is called now because somebody muted it. */
export const isMuted = ({ muted_until: until }: Pick<AlertRule, 'muted_until'>): boolean =>
  until !== null && new Date(until) > new Date();
