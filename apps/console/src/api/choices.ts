import type { UseQueryResult } from '@tanstack/react-query';
import { uiTexts, unread } from '../texts/ui.js';
import { answer, api, type Schema } from './client.js';
import { type Page, type Question, useProjectQuery } from './project-query.js';

const pageSize = 200;

/** Every row of a list that is short enough to be chosen from: `allPages((query) => answer(api.GET(…)))`. */
async function allPages<Row>(
  ask: (query: { limit: number; cursor: string | undefined }) => Promise<Page<Row>>,
): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const page = await ask({ limit: pageSize, cursor });
    rows.push(...page.data);
    cursor = page.next_cursor ?? undefined;
  } while (cursor);
  return rows;
}

/** The project's Apps. Many pages show an App's name for its id. */
export const useApps = (options: { refetchInterval?: number } = {}): UseQueryResult<Schema<'AppView'>[]> =>
  useProjectQuery(...appsQuestion, options);

export const appsQuestion: Question<Schema<'AppView'>[]> = [
  ['apps', 'all'],
  async (signal) => (await answer(api.GET('/api/v1/apps', { signal }))).data,
];

/** Names an App in a sentence. On its own, use `<AppName>`. */
export function useAppName(): (id: string | null) => string {
  const { data = [], isPending } = useApps();
  return (id) => (isPending ? unread : (data.find((app) => app.id === id)?.name ?? id ?? ''));
}

/** The project's agents. Many pages show an agent's name for its id. */
export function useAgents(options: { enabled?: boolean } = {}): UseQueryResult<Schema<'AgentView'>[]> {
  return useProjectQuery(
    ['agents', 'all'],
    (signal) => allPages((query) => answer(api.GET('/api/v1/agents', { params: { query }, signal }))),
    options,
  );
}

/** Names an agent in a sentence, as `useAppName` names an App. Null is the Chief of Staff. */
export function useAgentName(): (id: string | null) => string {
  const { data = [], isPending } = useAgents();
  return (id) =>
    isPending
      ? unread
      : (data.find((agent) => (id === null ? agent.is_chief_of_staff : agent.id === id))?.name ??
        id ??
        uiTexts.chiefOfStaff);
}

/** The project's Skills, for choosing and for naming by id. */
export function useSkills(options: { enabled?: boolean } = {}): UseQueryResult<Schema<'SkillView'>[]> {
  return useProjectQuery(
    ['skills', 'all'],
    (signal) => allPages((query) => answer(api.GET('/api/v1/skills', { params: { query }, signal }))),
    options,
  );
}

/** Every tool of the project, for choosing and for naming by id. */
export function useTools(
  options: { enabled?: boolean; refetchInterval?: number } = {},
): UseQueryResult<Schema<'ToolView'>[]> {
  return useProjectQuery(
    ['tools', 'all'],
    (signal) => allPages((query) => answer(api.GET('/api/v1/tools', { params: { query }, signal }))),
    options,
  );
}

/** Further ones are found in their own list. */
const most = 200;

/** The project's credentials, for choosing and for naming by id. */
export function useCredentials(enabled = true): UseQueryResult<Schema<'CredentialView'>[]> {
  return useProjectQuery(
    ['credentials', 'all'],
    async (signal) => {
      const { data } = await answer(api.GET('/api/v1/credentials', { params: { query: { limit: most } }, signal }));
      return data;
    },
    { enabled },
  );
}

/** The word for a credential's state. An account that nobody has connected yet does not wait for us. */
export const credentialStatus = (status: string): string => (status === 'pending' ? 'not_connected' : status);

/** What can be installed in the project, the built-in Webhook App first. */
export const useListings = (): UseQueryResult<Schema<'ListingView'>[]> => useProjectQuery(...listingsQuestion);

export const listingsQuestion: Question<Schema<'ListingView'>[]> = [
  ['apps', 'listings'],
  async (signal) => (await answer(api.GET('/api/v1/listings', { signal }))).data,
];

/** The listing that an App was installed from. */
export function listingOf(
  listings: Schema<'ListingView'>[] | undefined,
  app: Schema<'AppView'>,
): Schema<'ListingView'> | undefined {
  return listings?.find((listing) =>
    app.kind === 'builtin' ? listing.kind === 'builtin' : listing.adapter?.id === app.adapter_id,
  );
}
