import { isDeepStrictEqual } from 'node:util';
import { isChangeRecord } from '../../document-sources.js';
import { type FileEnvelope, isFileEnvelope, readFileEnvelope } from '../../file-envelope.js';
import { type JsonObject, parseJson } from '../../json-value.js';
import type { AdapterCalls, Answer } from '../adapter-calls.js';
import { answered, expectThat, need, NotApplicable } from '../check.js';
import type { SourcesFixture } from '../fixtures.js';
import type { Kit } from '../kit.js';
import type { FakeProvider } from '../fake-provider.js';
import type { Point } from './point.js';

/** A listing that takes more calls than this counts as endless. */
const MAX_PAGES = 100;

export const documentSources: Point = {
  number: 11,
  title: 'Listings of documents show each change once',
  async run(kit) {
    const check = (name: string, title: string, advice: string, run: (given: Given) => Promise<void>): Promise<void> =>
      kit.check(`11.${name}`, title, advice, async () => {
        if (!(await offersSources(kit))) throw new NotApplicable('the adapter serves no /sources/list-changes');
        const fixture = need(kit.fixtures.sources, 'sources');
        await run({ fixture, provider: need(kit.provider, 'provider that the adapter talks to') });
      });

    await check(
      'changes',
      'shows what was added, modified and removed',
      'List what changed since the cursor.',
      async (given) => {
        await walkStates(kit, given, kit.adapter, kit.adapter);
      },
    );
    await check(
      'stable',
      'shows nothing and keeps its cursor when nothing changed',
      'Derive the cursor from the documents.',
      async ({ fixture }) => {
        const documents = new Map<string, string>();
        const first = await list(kit.adapter, kit, fixture.resource_path, null, documents);
        const repeated = await list(kit.adapter, kit, fixture.resource_path, first.cursor, documents);
        expectThat(repeated.changes.length === 0, repeated.answer, 'no change', repeated.changes);
        expectThat(
          repeated.cursor === first.cursor,
          repeated.answer,
          `the cursor as before, ${first.cursor}`,
          repeated.cursor,
        );
      },
    );
    await check(
      'bogus-cursor',
      'says that a cursor it cannot use has expired',
      'Answer error "cursor_expired": the platform lists anew.',
      async ({ fixture }) => {
        await refuses(kit, { resource_path: fixture.resource_path, cursor: 'bogus cursor' }, 'cursor_expired');
      },
    );
    await check(
      'missing-root',
      'says that a root is gone',
      'Answer error "not_found": an empty listing deletes every document.',
      async ({ fixture }) => {
        const resource_path = need(fixture.missing_resource_path, 'sources.missing_resource_path');
        await refuses(kit, { resource_path, cursor: null }, 'not_found');
      },
    );
    await check(
      'file',
      'fetches a file',
      'Answer the bytes, or content_base64; bytes that are JSON need a Content-Disposition.',
      async ({ fixture }) => {
        const { file_path, content } = need(fixture.file, 'sources.file');
        const answer = await fetchFile(kit, fixture.resource_path, file_path);
        const read = fileOf(answer);
        if ('problem' in read) expectThat(false, answer, 'bytes, or base64 in JSON', read.problem);
        const text = 'bytes' in read ? read.bytes.toString('utf8') : null;
        expectThat(answer.status === 200 && text === content, answer, JSON.stringify(content));
      },
    );
    await check(
      'traversal',
      'refuses a path out of its root',
      'Refuse "..", absolute paths and backslashes.',
      async ({ fixture }) => {
        for (const path of ['../secret', 'a/../../secret', '/etc/passwd']) {
          const answer = await fetchFile(kit, fixture.resource_path, path);
          const refused = answer.status === 400 || (answer.status === 200 && typeof answer.json?.error === 'string');
          expectThat(refused, answer, 'HTTP 400, or an error in the answer');
        }
      },
    );
  },
};

interface Given {
  fixture: SourcesFixture;
  provider: FakeProvider;
}

type Change = SourcesFixture['states'][number]['changes'][number];

/** Goes through the provider's states, asking two instances in turn: a cursor of one is valid at the other. */
export async function walkStates(kit: Kit, given: Given, one: AdapterCalls, other: AdapterCalls): Promise<void> {
  const documents = new Map<string, string>();
  let cursor: string | null = null;
  for (const [index, state] of given.fixture.states.entries()) {
    given.provider.enter(index);
    const listed = await list(index % 2 === 0 ? one : other, kit, given.fixture.resource_path, cursor, documents);
    const expected = byPath(state.changes);
    const asked = `in state ${index} the changes ${JSON.stringify(expected)}`;
    expectThat(isDeepStrictEqual(byPath(listed.changes), expected), listed.answer, asked, byPath(listed.changes));
    cursor = listed.cursor;
  }
}

async function offersSources(kit: Kit): Promise<boolean> {
  const { status } = await kit.adapter.post('/sources/list-changes', {});
  return status !== 404;
}

/**
 * One listing with all its pages, applied as changes to `documents` (path to fingerprint) the way the platform does.
 */
async function list(
  calls: AdapterCalls,
  kit: Kit,
  resource_path: string,
  from: string | null,
  documents: Map<string, string>,
): Promise<{ changes: Change[]; cursor: string; answer: Answer }> {
  const before = new Map(documents);
  let cursor = from;
  for (let page = 0; ; page++) {
    const answer = await calls.post('/sources/list-changes', { credentials: kit.credentials, resource_path, cursor });
    const result = answered(answer);
    const { changes, has_more, full } = result;
    expectThat(Array.isArray(changes) && typeof result.cursor === 'string', answer, 'a list of changes and a cursor');
    expectThat(page < MAX_PAGES, answer, `the end of the listing within ${MAX_PAGES} pages`);
    cursor = result.cursor;
    if (full === true && page === 0) documents.clear();
    for (const change of changes) apply(documents, change, answer);
    if (has_more !== true) return { changes: difference(before, documents), cursor, answer };
  }
}

function apply(documents: Map<string, string>, change: unknown, answer: Answer): void {
  expectThat(isChangeRecord(change), answer, 'change records of section 2.7', change);
  if (change.fingerprint === null) documents.delete(change.path);
  else documents.set(change.path, change.fingerprint);
}

function difference(before: Map<string, string>, after: Map<string, string>): Change[] {
  const changes: Change[] = [];
  for (const [path, fingerprint] of after) {
    const known = before.get(path);
    if (known !== fingerprint) changes.push({ path, status: known === undefined ? 'added' : 'modified' });
  }
  for (const path of before.keys()) if (!after.has(path)) changes.push({ path, status: 'removed' });
  return changes;
}

function byPath(changes: readonly Change[]): Change[] {
  return changes.map(({ path, status }) => ({ path, status })).sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function refuses(kit: Kit, request: JsonObject, code: string): Promise<void> {
  const answer = await kit.adapter.post('/sources/list-changes', { credentials: kit.credentials, ...request });
  const { error } = answered(answer);
  expectThat(error === code, answer, `error "${code}"`, error);
}

function fileOf(answer: Answer): FileEnvelope {
  const isEnvelope = isFileEnvelope((name) => answer.headers.get(name) ?? undefined);
  return isEnvelope ? readFileEnvelope(parseJson(answer.text)) : { bytes: Buffer.from(answer.text) };
}

function fetchFile(kit: Kit, resource_path: string, file_path: string): Promise<Answer> {
  return kit.adapter.post('/sources/fetch-file', { credentials: kit.credentials, resource_path, file_path });
}
