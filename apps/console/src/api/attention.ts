import type { UseQueryResult } from '@tanstack/react-query';
import { answer, api, type Schema } from './client.js';
import { type Question, useProjectQuery } from './project-query.js';

export type AttentionItem = Schema<'AttentionView'>;

export const attentionQuestion: Question<AttentionItem[]> = [
  ['events', 'attention'],
  async (signal) => (await answer(api.GET('/api/v1/attention', { signal }))).data,
];

/** On every page. What stops a message is here within 30 s: what waits counts after 15 s. */
const everyMs = 15_000;

interface Watching {
  enabled?: boolean;
  /** Also while another page is looked at. */
  inBackground?: boolean;
}

/** What needs attention in this project: errors first, what is muted last. */
export const useAttention = (watching: Watching = {}): UseQueryResult<AttentionItem[]> =>
  useProjectQuery(...attentionQuestion, { refetchInterval: everyMs, ...watching });

/** Of a cause, for all rules. */
export const muteCause = (cause: string, hours: number): Promise<unknown> =>
  answer(api.POST('/api/v1/attention/mute', { body: { cause, hours } }));

export const unmuteCause = (cause: string): Promise<unknown> =>
  answer(api.POST('/api/v1/attention/unmute', { body: { cause } }));

/** Causes, however many items each has. */
export const causesOf = (items: AttentionItem[]): Map<string, AttentionItem> =>
  new Map(items.filter(({ muted_until }) => muted_until === null).map((item) => [item.cause, item]));
