import type { UseQueryResult } from '@tanstack/react-query';
import { answer, api } from './client.js';
import { useProjectQuery } from './project-query.js';
import { useScope } from './session.js';
import type { Schema } from './named-schema.js';

/** One contact; null: there is none to ask for. */
export function useContact(id: string | null): UseQueryResult<Schema<'ContactDetailView'>> {
  return useProjectQuery(
    ['contacts', id],
    (signal) => answer(api.GET('/api/v1/contacts/{id}', { params: { path: { id: id ?? '' } }, signal })),
    { enabled: useScope('contacts:read') && id !== null },
  );
}
