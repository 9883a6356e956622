import { useQueries } from '@tanstack/react-query';
import { answer, api } from './client.js';
import { useContactsOf } from './contacts.js';
import { projectKey, useProjectId } from './project-query.js';
import { hasScope, useSession } from './session.js';
import { uiTexts, unread } from '../texts/ui.js';

/** Who may act: `user:mem_…`, `key:key_…` or `contact:con_…`. */
export interface Named {
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
