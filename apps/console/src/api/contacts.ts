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

/** These contacts, as far as the reader may see them. Further ids are asked for while the ones before are shown. */
export function useContactsOf(wanted: readonly (string | null)[]): UseQueryResult<Schema<'ContactView'>[]> {
  const ids = [...new Set(wanted.flatMap((id) => id ?? []))].sort();
  const may = useScope('contacts:read');
  return useProjectQuery(
    ['contacts', 'names', ids],
    async (signal) => {
      const starts = Array.from({ length: Math.ceil(ids.length / most) }, (_, index) => index * most);
      const pages = await Promise.all(
        starts.map((start) => {
          const query = { ids: ids.slice(start, start + most).join(','), limit: most };
          return answer(api.GET('/api/v1/contacts', { params: { query }, signal }));
        }),
      );
      return pages.flatMap(({ data }) => data);
    },
    { enabled: may && ids.length > 0, keep: true },
  );
}

/** The names of the contacts in a list. */
export function useContactNames(wanted: readonly (string | null)[]): (id: string | null) => string | undefined {
  const { data = [] } = useContactsOf(wanted);
  return (id) => data.find((contact) => contact.id === id)?.name;
}
