import { until } from '#libs/testing';
import { type DocumentProvider, documentProvider, newSlug } from '../testing/document-provider.js';
import { DocumentSource } from '../testing/document-source.js';
import { type GatewayWorld, startGateway } from '../testing/gateway-world.js';

let world: GatewayWorld;
let provider: DocumentProvider;
let source: DocumentSource;

beforeAll(async () => {
  world = await startGateway({ SYNC_MAX_PAGES: 2 });
});
afterAll(() => world.close());

beforeEach(async () => {
  provider = await documentProvider(newSlug());
  source = await DocumentSource.of(world, provider);
});
afterEach(() => provider.close());

/** Synchronises, and waits until no run goes on. @returns the runs that this began, newest first */
async function synced() {
  const before = (await source.runs()).length;
  await source.synced();
  return until('the listing has ended', async () => {
    const runs = await source.runs();
    return runs[0] && ['succeeded', 'failed'].includes(runs[0].state) ? runs.slice(0, runs.length - before) : null;
  });
}

describe('a listing of more pages than a run may have', () => {
  it('is continued by further runs from the cursor, and deletes only at its end', async () => {
    for (let n = 0; n < 550; n += 1) provider.files.set(`file-${n}`, `text ${n}`);
    const runs = await synced();
    expect(runs.map(({ state, pages }) => [state, pages])).toEqual([
      ['succeeded', 2],
      ['partial', 2],
      ['partial', 2],
    ]);
    const first = runs.at(-1);
    expect(runs.map(({ continues }) => continues)).toEqual([first?.id, first?.id, null]);
    expect(runs.reduce((sum, { added }) => sum + added, 0)).toBe(550);
    expect(await source.current()).toHaveLength(550);

    provider.files.delete('file-3');
    provider.files.set('file-549', 'changed');
    const later = await synced();
    expect(later.map(({ state, removed, changed }) => [state, removed, changed])).toEqual([
      ['succeeded', 1, 1],
      ['partial', 0, 0],
      ['partial', 0, 0],
    ]);
    expect(await source.current()).toHaveLength(549);
    expect([...provider.fetched.values()].reduce((sum, times) => sum + times)).toBe(551);
  });

  it('ends as failed, and says why, when its cursors only go round in circles', async () => {
    provider.files.set('a', '1');
    provider.onList = ({ cursor }) => ({
      changes: [{ path: 'a', fingerprint: '1', status: 'added' }],
      cursor: cursor === 'one' ? 'two' : 'one',
      has_more: true,
    });
    const [last] = await synced();
    expect(last).toMatchObject({ state: 'failed', error: 'contract_violation' });
    expect(last?.error_detail).toContain('the cursor goes round in circles');
    expect(await source.current()).toEqual(['a']);
  });

  it('ends as failed at once when its cursor stands still', async () => {
    provider.onList = ({ cursor }) => ({
      changes: [{ path: `after ${cursor}`, fingerprint: null, status: 'removed' }],
      cursor: 'same',
      has_more: true,
    });
    const [only, ...others] = await synced();
    expect(only).toMatchObject({ state: 'failed', error: 'contract_violation', pages: 1 });
    expect(only?.error_detail).toContain('has_more is true, but the cursor is that of the previous page');
    expect(others).toEqual([]);
  });
});

it('a page of 12,000 changes is applied in one run', async () => {
  const gone = Array.from({ length: 12_000 }, (_, n) => ({
    path: `gone-${n}`,
    fingerprint: null,
    status: 'removed' as const,
  }));
  provider.files.set('a', '1');
  provider.onList = () => ({ changes: [...gone, { path: 'a', fingerprint: '1', status: 'added' }], cursor: 'end' });
  expect(await synced()).toMatchObject([{ state: 'succeeded', added: 1, pages: 1 }]);
});
