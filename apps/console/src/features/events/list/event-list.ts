import { answer, api } from '../../../api/client.js';
import type { Page } from '../../../api/project-query.js';
import type { Schema } from '../../../api/named-schema.js';
import { type EventListFilter, eventQuery } from './event-search.js';

const pageSize = 100;

export const eventListKey = (filter: EventListFilter): readonly unknown[] => ['event-list', filter];

/** A page of the events that a filter finds. */
export const askEvents =
  (filter: EventListFilter) =>
  (cursor: string | undefined, signal?: AbortSignal): Promise<Page<Schema<'EventView'>>> => {
    const query = { ...eventQuery(filter), limit: pageSize, cursor };
    return answer(api.GET('/api/v1/events', { params: { query }, signal }));
  };
