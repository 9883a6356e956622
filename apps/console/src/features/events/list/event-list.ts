import { answer, api } from '../../../api/client.js';
import type { Page } from '../../../api/project-query.js';
import type { Schema } from '../../../api/named-schema.js';
import { type EventListFilter, eventQuery } from './event-search.js';

const pageSize = 100;
type Order = 'desc' | 'asc';

export const eventListKey = (filter: EventListFilter, order: Order): readonly unknown[] => [
  'event-list',
  filter,
  order,
];

/** A page of the events that match a filter. */
export const askEvents =
  (filter: EventListFilter, order: Order) =>
  (cursor: string | undefined, signal?: AbortSignal): Promise<Page<Schema<'EventView'>>> => {
    const query = { ...eventQuery(filter), order, limit: pageSize, cursor };
    return answer(api.GET('/api/v1/events', { params: { query }, signal }));
  };
