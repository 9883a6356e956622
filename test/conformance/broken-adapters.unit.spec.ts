import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { checkAdapter, createAdapterServer, loadFixtures } from '#libs/adapter-sdk';
import { createAcmeAdapter } from '../../libs/adapter-sdk/template/src/acme.adapter.js';
import { DEFECTS, type Defect } from './defects.js';

const fixtures = {
  ...loadFixtures(join(import.meta.dirname, '../../libs/adapter-sdk/template/conformance')),
  // This check waits for the adapter, so the template's own spec covers it: with a short wait, other checks would fail
  // on a busy machine.
  not_applicable: { '9.timeout': 'takes as long as the adapter waits' },
};

async function failing(defect: Defect): Promise<string[]> {
  const report = await checkAdapter({
    fixtures,
    start: async (url) => {
      let log = '';
      const sink = new Writable({ write: (chunk, _encoding, done) => ((log += String(chunk)), done()) });
      const acme = createAcmeAdapter({ url, timeoutMs: 5_000 });
      const logger = pino({ level: 'info' }, sink);
      const app = createAdapterServer([{ ...acme, ...defect.adapter?.(acme) }], { version: 'test', logger });
      defect.server?.(app);
      const address = await app.listen({ port: 0, host: '127.0.0.1' });
      return { url: `${address}/acme`, logs: () => log, close: () => app.close() };
    },
  });
  const checks = report.points.flatMap((point) => point.checks);
  for (const { failure } of checks) if (failure) expect(Object.values(failure)).not.toContain('');
  return checks.filter((check) => check.status === 'failed').map((check) => check.id);
}

describe('the conformance kit', () => {
  it('finds nothing wrong with an adapter that keeps the contract', async () => {
    expect(await failing({})).toEqual([]);
  });

  it.each(DEFECTS)('finds a defect by its point: %s', async (id, defect) => {
    const failed = await failing(defect);
    expect(failed).toContain(id);
    expect(new Set(failed.map((check) => check.split('.', 1)[0]))).toEqual(new Set([id.split('.', 1)[0]]));
  });

  it('has a defect for every point', () => {
    const points = DEFECTS.map(([id]) => Number(id.split('.', 1)[0]));
    expect([...new Set(points)]).toEqual(Array.from({ length: 15 }, (_, index) => index + 1));
  });
});
