import type { JsonObject, PlaceAccess } from '#libs/adapter-sdk';
import { hostAdapter, type AdapterHost } from '../testing/adapter-host.js';
import { startProviderServer, type ProviderServer, type Reply } from '../testing/provider-server.js';
import { createGithubAdapter } from './github.adapter.js';

const HEAD = '1'.repeat(40);
const repo = '/repos/octo/docs';

describe('who may read a repository', () => {
  let github: ProviderServer;
  let adapter: AdapterHost;
  let routes: Record<string, Reply>;
  beforeAll(async () => {
    github = await startProviderServer(({ url }) => routes[url] ?? { status: 404, body: { message: 'Not Found' } });
    adapter = await hostAdapter((http) => createGithubAdapter({ ...http, apiUrl: github.url }));
  });
  beforeEach(() => {
    routes = { [`${repo}/commits/main?per_page=1`]: { body: { sha: HEAD } } };
    repository({ private: true, owner: { login: 'Octo', type: 'Organization' } });
    answer(`${repo}/teams?per_page=91`, [{ slug: 'editors' }]);
    people(1, [person('Ana'), person('Ben'), { ...person('Eve'), permissions: { pull: false } }]);
    answer('/graphql', {
      data: { nodes: [{ email: 'ana@home.example', organizationVerifiedDomainEmails: [] }, null] },
    });
  });
  afterAll(async () => {
    await adapter.close();
    await github.close();
  });

  const answer = (url: string, body: unknown): void => {
    routes[url] = { body };
  };
  const repository = (body: object): void => answer(repo, body);
  const people = (page: number, body: unknown[]): void =>
    answer(`${repo}/collaborators?per_page=100&page=${page}`, body);
  const person = (login: string): JsonObject => ({ login, node_id: `id-${login}`, permissions: { pull: true } });
  const list = (): Promise<JsonObject> =>
    adapter.call('sources/list-changes', {
      credentials: { token: 't0ken' },
      resource_path: 'octo/docs@main',
      cursor: HEAD,
    });
  const access = async (): Promise<PlaceAccess> => (await list()).access as PlaceAccess;
  const readers = async (): Promise<string[]> => {
    const found = await access();
    return found.audience === 'listed' ? found.readers : [];
  };
  const host = (): string => new URL(github.url).host;

  it('is everyone, if it is public, and nobody else is asked for', async () => {
    repository({ private: false });
    expect(await access()).toEqual({ audience: 'everyone' });
    expect(github.seen.filter(({ url }) => url.includes('collaborators'))).toEqual([]);
  });

  it('are its collaborators who may read, its teams and its own group, also of an internal one', async () => {
    repository({ private: true, visibility: 'internal', owner: { login: 'Octo', type: 'Organization' } });
    expect(await access()).toEqual({
      audience: 'listed',
      readers: [
        `group:${host()}/octo/docs`,
        `group:${host()}/orgs/octo/teams/editors`,
        'ana@users.noreply.github.com',
        'ben@users.noreply.github.com',
        'ana@home.example',
      ],
    });
  });

  it('are known by the address at work that GitHub has verified, rather than by that of their profile', async () => {
    const nodes = [{ email: 'ana@home.example', organizationVerifiedDomainEmails: ['Ana@octo.example'] }];
    answer('/graphql', { data: { nodes } });
    const listed = await readers();
    expect(listed).toContain('ana@octo.example');
    expect(listed).not.toContain('ana@home.example');
  });

  it('changes with the next listing, without a change of a document', async () => {
    expect(await readers()).toContain('ben@users.noreply.github.com');
    people(1, [person('Ana')]);
    expect(await readers()).not.toContain('ben@users.noreply.github.com');
    expect(await list()).toMatchObject({ changes: [], cursor: HEAD });
  });

  it('is nobody but its group, with a note that says what to do, where the token may not see them', async () => {
    routes[`${repo}/collaborators?per_page=100&page=1`] = { status: 403, body: { message: 'Must have push access' } };
    routes[`${repo}/teams?per_page=91`] = { status: 403, body: { message: 'Forbidden' } };
    expect(await access()).toEqual({
      audience: 'listed',
      readers: [`group:${host()}/octo/docs`],
      note: expect.stringMatching(/^GitHub does not tell this token .* may write there/),
    });
  });

  it('are its groups alone, where more people may read it than a list has', async () => {
    const hundred = (page: number): JsonObject[] => Array.from({ length: 100 }, (_, at) => person(`p${page}-${at}`));
    for (const page of [1, 2, 3, 4]) people(page, hundred(page));
    expect(await access()).toMatchObject({
      readers: [`group:${host()}/octo/docs`, `group:${host()}/orgs/octo/teams/editors`],
      note: expect.stringContaining('More than 200 people'),
    });
    expect(github.seen.some(({ url }) => url.endsWith('page=4'))).toBe(false);
    people(3, []);
    expect((await readers()).length).toBe(200 + 2 + 2);
  });

  it('are named without addresses, where the token may not ask for these', async () => {
    answer('/graphql', { data: null, errors: [{ type: 'FORBIDDEN', message: 'Resource not accessible' }] });
    expect(await readers()).toContain('ana@users.noreply.github.com');
    expect((await readers()).some((one) => one.endsWith('.example'))).toBe(false);
    expect(await access()).toMatchObject({ note: expect.stringContaining('not tell this token all addresses') });
  });

  it('are named with the addresses that there are, where GitHub tells only some, and a note says so', async () => {
    const errors = [{ type: 'FORBIDDEN', path: ['nodes', 1], message: 'Resource not accessible' }];
    answer('/graphql', { data: { nodes: [{ email: 'ana@home.example' }, null] }, errors });
    expect(await access()).toMatchObject({
      readers: expect.arrayContaining(['ana@home.example', 'ben@users.noreply.github.com']),
      note: expect.stringContaining('not tell this token all addresses'),
    });
  });

  it('are ninety of its teams, where it has more, and a note says so', async () => {
    const teams = Array.from({ length: 91 }, (_, at) => ({ slug: `team-${at}` }));
    answer(`${repo}/teams?per_page=91`, teams);
    expect((await readers()).filter((one) => one.includes('/teams/'))).toHaveLength(90);
    expect(await access()).toMatchObject({ note: expect.stringContaining('More than 90 teams') });
  });

  it.each([
    ['its visibility', repo],
    ['its collaborators', `${repo}/collaborators?per_page=100&page=1`],
    ['its teams', `${repo}/teams?per_page=91`],
    ['their addresses', '/graphql'],
  ])('fails the listing, rather than names others, while GitHub does not answer for %s', async (_what, url) => {
    routes[url] = { status: 503 };
    expect(await list()).toMatchObject({ ok: false, error: 'provider_unavailable' });
  });
});
