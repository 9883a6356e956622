import type { Credentials, DeliverFailure, JsonObject, PlaceAccess, SourceFailure } from '#libs/adapter-sdk';
import { objectOf, objectsOf, textOf } from '../../provider-calls/json-fields.js';
import { callGithub } from '../api/call-github.js';
import { askGraphql } from '../api/call-graphql.js';
import type { GithubSettings } from '../api/github-api.js';
import { repositoryUrl, type ResourcePath } from './resource-path.js';
import { sourceFailure } from './source-failure.js';

/** A list of readers has at most 500: people with two names each, and groups. */
const MAX_PEOPLE = 200;
const MAX_TEAMS = 90;
const PAGE_SIZE = 100;
/** Characters. */
const MAX_NOTE = 500;

type Called<T> = T | DeliverFailure;

/**
 * Who may open a repository. A public one is for everyone. Any other one is for those listed: its collaborators, by the
 * address that only GitHub gives out (`login@users.noreply.github.com`) and by one that GitHub has verified, its teams,
 * and the group of the repository itself. What the token may not see is nobody, except for whom people put into that
 * group.
 */
export async function repositoryAccess(
  resource: ResourcePath,
  credentials: Credentials,
  settings: GithubSettings,
): Promise<PlaceAccess | SourceFailure> {
  const call = (path: string): ReturnType<typeof callGithub> =>
    callGithub(repositoryUrl(resource) + path, {}, credentials, settings);
  const answer = await call('');
  if (!answer.ok) return sourceFailure(answer);
  const repository = objectOf(answer.body);
  if (repository.private === false) return { audience: 'everyone' };

  const site = new URL(settings.apiUrl).host.replace(/^api\.github\.com$/, 'github.com');
  const group = `group:${site}/${resource.owner}/${resource.repo}`.toLowerCase();
  const { login: owner = resource.owner, type } = objectOf(repository.owner);
  const organization = type === 'Organization' ? textOf(owner) : undefined;

  const teams = organization === undefined ? [] : await teamsOf(call);
  if ('ok' in teams) return sourceFailure(teams);
  const left =
    teams.length > MAX_TEAMS
      ? `More than ${MAX_TEAMS} teams may read the repository: those after the ${MAX_TEAMS}th are not on the list, only their members, where these are. `
      : '';
  const groupOf = (slug: string): string => `group:${site}/orgs/${organization}/teams/${slug}`.toLowerCase();
  const groups = [group, ...teams.slice(0, MAX_TEAMS).map(groupOf)];
  const people = await collaboratorsOf(call);
  if ('ok' in people) {
    if (!isRefusal(people)) return sourceFailure(people);
    const note = `${left}GitHub does not tell this token who may read the repository: for that it has to be of somebody who may write there, with the permission "Metadata: read". Until then it is for nobody but contacts who read as ${group}.`;
    return { audience: 'listed', readers: groups, note: note.slice(0, MAX_NOTE) };
  }
  if (people.length > MAX_PEOPLE) {
    const note = `${left}More than ${MAX_PEOPLE} people may read the repository, too many for a list. It is for contacts who read as ${groups.join(' or ')}.`;
    return { audience: 'listed', readers: groups, note: note.slice(0, MAX_NOTE) };
  }
  const found = await addressesOf(people, organization, credentials, settings);
  if ('ok' in found) return sourceFailure(found);
  const logins = people.map(({ login }) => `${login}@users.noreply.github.com`);
  const readers = [...groups, ...logins, ...found.addresses].map((one) => one.toLowerCase());
  const unnamed =
    'GitHub does not tell this token all addresses of those who may read the repository: some are known by login@users.noreply.github.com alone.';
  const note = `${left}${found.isWhole ? '' : unnamed}`.trim();
  return { audience: 'listed', readers, ...(note !== '' && { note }) };
}

type Call = (path: string) => ReturnType<typeof callGithub>;

/** Up to one more than may be listed. Source: https://docs.github.com/en/rest/collaborators/collaborators */
async function collaboratorsOf(call: Call): Promise<Called<{ login: string; node_id: string }[]>> {
  const people: { login: string; node_id: string }[] = [];
  for (let page = 1; people.length <= MAX_PEOPLE; page++) {
    const answer = await call(`/collaborators?per_page=${PAGE_SIZE}&page=${page}`);
    if (!answer.ok) return answer;
    const listed = objectsOf(answer.body);
    people.push(...listed.flatMap(personOf));
    if (listed.length < PAGE_SIZE) break;
  }
  return people;
}

function personOf({ login, node_id: id, permissions }: JsonObject): { login: string; node_id: string }[] {
  const [name, nodeId] = [textOf(login), textOf(id)];
  const mayRead = objectOf(permissions).pull !== false;
  return name !== undefined && nodeId !== undefined && mayRead ? [{ login: name, node_id: nodeId }] : [];
}

/** Up to one more than may be listed. None where the token may not see them: their members are among the collaborators. */
async function teamsOf(call: Call): Promise<Called<string[]>> {
  const answer = await call(`/teams?per_page=${MAX_TEAMS + 1}`);
  if (!answer.ok) return isRefusal(answer) ? [] : answer;
  return objectsOf(answer.body).flatMap(({ slug }) => textOf(slug) ?? []);
}

/**
 * One address for each, where GitHub has one that it has verified: that of the organization's domain, else that of the
 * profile. Only those that the token may ask for.
 * Source: https://docs.github.com/en/graphql/reference/objects#user
 */
async function addressesOf(
  people: readonly { node_id: string }[],
  organization: string | undefined,
  credentials: Credentials,
  settings: GithubSettings,
): Promise<Called<{ addresses: string[]; isWhole: boolean }>> {
  const found = { addresses: [] as string[], isWhole: true };
  const work = organization === undefined ? '' : ' organizationVerifiedDomainEmails(login: $organization)';
  const declared = organization === undefined ? '' : ', $organization: String!';
  const query = `query ($ids: [ID!]!${declared}) { nodes(ids: $ids) { ... on User { email${work} } } }`;
  for (let from = 0; from < people.length; from += PAGE_SIZE) {
    const ids = people.slice(from, from + PAGE_SIZE).map(({ node_id: id }) => id);
    const variables = { ids, ...(organization !== undefined && { organization }) };
    const answer = await askGraphql(query, variables, credentials, settings);
    const missing = answer.ok ? answer.missing : answer;
    if (missing && !isRefusal(missing)) return missing;
    if (missing) found.isWhole = false;
    for (const { email, organizationVerifiedDomainEmails: atWork } of objectsOf(answer.ok && answer.data.nodes)) {
      const all = [...(Array.isArray(atWork) ? (atWork as unknown[]) : []), email].flatMap((one) => textOf(one) ?? []);
      const address = all.find((one) => isAddress.test(one));
      if (address !== undefined) found.addresses.push(address);
    }
  }
  return found;
}

const isAddress = /^[^\s@:]{1,100}@[^\s@:]{1,99}$/;

/** What is the same the next time, unlike a limit of rate or an outage. */
function isRefusal({ error }: DeliverFailure): boolean {
  return error === 'permission_denied' || error === 'not_found' || error === 'invalid_request';
}
