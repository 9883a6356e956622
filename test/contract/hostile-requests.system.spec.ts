import fc from 'fast-check';
import { startSmallSystem, type System } from '../system/system.js';
import { apiDocument, type ApiDocument, type DescribedOperation, operationsOf } from './api-document.js';
import { closeConnections, exchange, type RawAnswer, type RawRequest } from './hostile/exchange.js';
import { exampleBodies } from './hostile/example-bodies.js';
import { type HostileRequest, hostileRequest, type Named } from './hostile/hostile-request.js';
import { knownIds, type KnownIds } from './hostile/known-ids.js';
import { connectTenant, openProviders, type Providers } from './hostile/providers.js';
import { fillTenant, makeTenant, type Tenant } from './hostile/tenant.js';

const seed = 20_260_101;
const budgetMs = 40_000;
const lanes = 4;
const canary = 'canary7f3a';

/** These operations take filters: a foreign id matches nothing, so it is not an error. */
const takesFilter = new Set(['releaseMessages', 'replayEvents', 'redriveDeadLetters']);

/** Not called: in a project that is closed or moves every other request would be refused, and nothing would be tested. */
const endsAll = new Set(['closeProject', 'beginMove']);

/** Lists of a whole organization, newest first: entries made from one project fill the pages of its other projects. */
const ofOrganization = new Set(['audit', 'projects', 'members', 'api-keys']);
const sharesOrganization = (at: number): boolean => at === 1;

describe('hostile requests', () => {
  let system: System;
  let document: ApiDocument;
  let operations: DescribedOperation[];
  let named: Named;
  let others: Tenant[];
  let providers: Providers;

  const ask = (request: RawRequest, key = system.apiKey): Promise<RawAnswer> => {
    const headers = { ...request.headers, authorization: `Bearer ${key}` };
    return exchange(system.origin('portal'), { ...request, headers });
  };
  const idsOf = (key: string): Promise<KnownIds> =>
    knownIds(operations, (path) => ask({ method: 'GET', path, headers: {}, body: null }, key));

  beforeAll(async () => {
    system = await startSmallSystem({ ADAPTER_TIMEOUT_MS: '10000' });
    const origin = system.origin('portal');
    document = await apiDocument(origin);
    operations = operationsOf(document);
    const { id } = await system.api<{ id: string }>('GET', '/api/v1/organizations/current');
    others = [await makeTenant(system.databaseUrl), await makeTenant(system.databaseUrl, id)];
    providers = await openProviders(system.origin('adapters'));
    for (const [at, tenant] of [{ key: system.apiKey }, ...others].entries()) {
      const word = at === 0 ? 'mine5e21' : `${canary}${at}`;
      await fillTenant(origin, tenant, word);
      await connectTenant(origin, tenant, word, providers);
    }
    const foreign = new Map<string, string[]>();
    for (const { key } of others) {
      for (const [place, ids] of await idsOf(key)) foreign.set(place, [...(foreign.get(place) ?? []), ...ids]);
    }
    named = { own: await idsOf(system.apiKey), foreign, examples: exampleBodies(providers) };
  });
  afterAll(async () => {
    closeConnections();
    await system?.stop();
    await providers?.close();
  });

  /** What is wrong with an answer, or null. */
  const wrong = (
    operation: DescribedOperation,
    request: HostileRequest,
    { status, text }: RawAnswer,
  ): string | null => {
    if (status >= 500) return 'an error of the server';
    if (text.includes(canary)) return 'data of somebody else';
    const isFilter = takesFilter.has(operation.operationId ?? '');
    return request.namesForeign && status < 300 && !isFilter ? 'success with an id of somebody else' : null;
  };

  /** A busy machine may answer late. What a request itself breaks stays broken. */
  const patiently = async (request: RawRequest): Promise<RawAnswer> => {
    const attempt = () => ask(request).catch((error: unknown) => ({ status: 599, text: String(error) }));
    let answer = await attempt();
    for (let more = 0; more < 3 && [503, 504].includes(answer.status); more += 1) answer = await attempt();
    return answer;
  };

  const check = async (operation: DescribedOperation, timeMs: number): Promise<string[]> => {
    const property = fc.asyncProperty(hostileRequest(document, operation, named), async (request) => {
      const answer = await patiently(request);
      const fault = wrong(operation, request, answer);
      if (fault) throw new Error(`${fault}: ${answer.status} ${answer.text.slice(0, 300)}`);
    });
    const details = await fc.check(property, { seed, numRuns: 200, interruptAfterTimeLimit: timeMs });
    const [request] = details.counterexample ?? [];
    return request ? [reportOf(operation, request, details.errorInstance)] : [];
  };

  it('are answered, by every operation, with no server error and nothing that belongs to others', async () => {
    const before = await Promise.all(others.map(({ key }) => idsOf(key)));
    // Operations that delete come last, so that the others find something to work on.
    const isLast = ({ method, path }: DescribedOperation): boolean =>
      method === 'DELETE' || /revoke|discard/.test(path);
    const asked = operations.filter(({ operationId }) => !endsAll.has(operationId ?? ''));
    const queue = asked.toSorted((one, other) => Number(isLast(one)) - Number(isLast(other)));
    const timeMs = (budgetMs * lanes) / queue.length;
    const failures: string[] = [];
    const lane = async (): Promise<void> => {
      for (let next = queue.shift(); next; next = queue.shift()) failures.push(...(await check(next, timeMs)));
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    expect(failures.join('\n\n')).toBe('');
    // The others' own background work may have added entries, but none may be missing.
    for (const [at, { key }] of others.entries()) {
      const after = await idsOf(key);
      for (const [place, ids] of before[at] ?? []) {
        if (sharesOrganization(at) && ofOrganization.has(place)) continue;
        expect([place, after.get(place)]).toEqual([place, expect.arrayContaining([...ids])]);
      }
    }
  });
});

/** A failure in a form that a person can reproduce. */
function reportOf(operation: DescribedOperation, request: HostileRequest, error: unknown): string {
  const brief = (text: string): string => (text.length > 600 ? `${text.slice(0, 600)}… (${text.length})` : text);
  return [
    `${operation.operationId}: ${error instanceof Error ? error.message : String(error)}`,
    `  ${request.method} ${brief(request.path)} ${JSON.stringify(request.headers)}`,
    ...(request.body ? [`  ${brief(JSON.stringify(request.body.toString('latin1')))}`] : []),
  ].join('\n');
}
