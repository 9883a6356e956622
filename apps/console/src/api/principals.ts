import { useQueries, type UseQueryResult } from '@tanstack/react-query';
import { uiTexts, unread } from '../texts/ui.js';
import { answer, api, type Schema } from './client.js';
import { projectKey, useProjectId, useProjectQuery } from './project-query.js';
import { hasScope, useScope, useSession } from './session.js';

/** One contact; a null id asks for none. */
export function useContact(id: string | null): UseQueryResult<Schema<'ContactDetailView'>> {
  return useProjectQuery(
    ['contacts', id],
    (signal) => answer(api.GET('/api/v1/contacts/{id}', { params: { path: { id: id ?? '' } }, signal })),
    { enabled: useScope('contacts:read') && id !== null },
  );
}

/** How many contacts one request can name. */
const mostIds = 200;

/** These contacts, as far as the reader may see them. Further ids are asked for while the ones before are shown. */
function useContactsOf(wanted: readonly (string | null)[]): UseQueryResult<Schema<'ContactView'>[]> {
  const ids = [...new Set(wanted.flatMap((id) => id ?? []))].sort();
  const may = useScope('contacts:read');
  return useProjectQuery(
    ['contacts', 'names', ids],
    async (signal) => {
      const starts = Array.from({ length: Math.ceil(ids.length / mostIds) }, (_, index) => index * mostIds);
      const pages = await Promise.all(
        starts.map((start) => {
          const query = { ids: ids.slice(start, start + mostIds).join(','), limit: mostIds };
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

/** Who may act: `user:mem_…`, `key:key_…` or `contact:con_…`. */
interface Named {
  subject: string;
  name: string;
}

export const kindOf = (subject: string): string => subject.slice(0, subject.indexOf(':'));

const most = 200;

/** The people, keys and contacts that this reader may see, for choosing and naming. */
export const usePrincipals = (): Named[] => usePrincipalLists().known;

function usePrincipalLists(): { known: Named[]; isLoading: boolean } {
  const projectId = useProjectId();
  const { member, scopes } = useSession();
  const asked = useQueries({
    queries: [
      {
        queryKey: projectKey(projectId, ['principals', 'members']),
        enabled: hasScope(scopes, 'members:read'),
        queryFn: async ({ signal }) => {
          const query = { limit: most };
          const { data } = await answer(api.GET('/api/v1/members', { params: { query }, signal }));
          return data.map(({ id, name }): Named => ({ subject: `user:${id}`, name }));
        },
      },
      {
        queryKey: projectKey(projectId, ['principals', 'contacts']),
        enabled: hasScope(scopes, 'contacts:read'),
        queryFn: async ({ signal }) => {
          const query = { limit: most };
          const { data } = await answer(api.GET('/api/v1/contacts', { params: { query }, signal }));
          return data.map(({ id, name }): Named => ({ subject: `contact:${id}`, name }));
        },
      },
      {
        queryKey: projectKey(projectId, ['principals', 'keys']),
        enabled: hasScope(scopes, 'keys:read'),
        queryFn: async ({ signal }) => {
          const query = { limit: most };
          const { data } = await answer(api.GET('/api/v1/api-keys', { params: { query }, signal }));
          return data.map(({ id, name }): Named => ({ subject: `key:${id}`, name }));
        },
      },
    ],
  });
  const known = asked.flatMap(({ data = [] }) => data);
  const me = { subject: `user:${member.id}`, name: member.name };
  const all = known.some(({ subject }) => subject === me.subject) ? known : [me, ...known];
  return { known: all, isLoading: asked.some(({ isLoading }) => isLoading) };
}

/**
 * Names a principal, where the reader may see the name.
 * @param wanted the principals to name: contacts that are not among the newest are asked for
 */
export function usePrincipalName(wanted: readonly string[] = []): (subject: string) => string {
  const { known, isLoading } = usePrincipalLists();
  const names = new Map(known.map(({ subject, name }) => [subject, name]));
  const missing = isLoading ? [] : wanted.filter((subject) => kindOf(subject) === 'contact' && !names.has(subject));
  const older = useContactsOf(missing.map((subject) => subject.slice('contact:'.length)));
  for (const { id, name } of older.data ?? []) names.set(`contact:${id}`, name);
  const waits = isLoading || older.isLoading || (missing.length > 0 && older.isPlaceholderData);
  return (subject) => {
    if (kindOf(subject) === 'service') return uiTexts.byService;
    return names.get(subject) ?? (waits ? unread : subject);
  };
}
