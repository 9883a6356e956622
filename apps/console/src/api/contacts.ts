import type { UseQueryResult } from '@tanstack/react-query';
import { answer, api } from './client.js';
import { useProjectQuery } from './project-query.js';
import { useScope } from './session.js';
import type { Schema } from './named-schema.js';

/** One contact; a null id asks for none. */
export function useContact(id: string | null): UseQueryResult<Schema<'ContactDetailView'>> {
  return useProjectQuery(
    ['contacts', id],
    (signal) => answer(api.GET('/api/v1/contacts/{id}', { params: { path: { id: id ?? '' } }, signal })),
    { enabled: useScope('contacts:read') && id !== null },
  );
}

/** How many contacts one request can name. */
const most = 200;

/** The names of the contacts in a list, by one request. */
export function useContactNames(wanted: readonly (string | null)[]): (id: string | null) => string | undefined {
  const ids = [...new Set(wanted.flatMap((id) => id ?? []))].sort().slice(0, most);
  const may = useScope('contacts:read');
  const { data = [] } = useProjectQuery(
    ['contacts', 'names', ids],
    async (signal) => {
      const query = { ids: ids.join(','), limit: most };
      return (await answer(api.GET('/api/v1/contacts', { params: { query }, signal }))).data;
    },
    { enabled: may && ids.length > 0, keep: true },
  );
  return (id) => data.find((contact) => contact.id === id)?.name;
}
