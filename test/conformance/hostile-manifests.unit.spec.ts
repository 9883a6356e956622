import { type AdapterDefinition, checkRunningAdapter, defineAdapter, printReport } from '#libs/adapter-sdk';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { run } from '../../apps/cli/src/run.js';
import { hostileManifests } from '../contract/hostile/hostile-manifests.js';

const good = {
  schema_version: '1.0',
  slug: 'harm',
  name: 'Harm',
  description: 'Means harm.',
  category: 'Integration',
  capabilities: [],
  credentials: [],
};
/** What would do something at a terminal, or show as something else. */
const unseen = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

interface Report {
  ok: boolean;
  version: string;
  points: { checks: { id: string; status: string; failure?: { got: string } }[] }[];
}

let server: Server;
let url: string;
let served: Record<string, unknown> = {};
let version = 'one';

beforeAll(async () => {
  server = createServer((asked, answer) => {
    const paths: Record<string, unknown> = {
      '/harm/manifest.json': served,
      '/harm/health': { status: 'ready', version, adapter: 'harm' },
    };
    answer.setHeader('content-type', 'application/json');
    answer.end(JSON.stringify(paths[asked.url ?? ''] ?? { ok: false, error: 'not here' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/harm`;
});
afterAll(async () => {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
});

/** Runs `gatehouse adapter check` on an adapter with this manifest. */
async function check(changes: object, ...options: string[]): Promise<{ code: number; out: string; err: string }> {
  served = { ...good, ...changes };
  const ended = { out: '', err: '' };
  const code = await run(
    ['adapter', 'check', url, ...options],
    {},
    {
      out: (text) => void (ended.out += text),
      err: (text) => void (ended.err += text),
    },
  );
  return { code, ...ended };
}

const wrongIn = (text: string): string => {
  const checks = (JSON.parse(text) as Report).points.flatMap((point) => point.checks);
  return checks.find(({ id }) => id === '1.manifest')?.failure?.got ?? 'nothing';
};

describe('a manifest that means harm', () => {
  it.each(hostileManifests)('fails the check at the command line by the name of what is wrong: %s', async (...row) => {
    const [, changes, field] = row;
    const { code, out } = await check(changes, '--json');
    expect([code, wrongIn(out)]).toEqual([1, expect.stringContaining(field ?? 'manifest must have ')]);
    const { out: shown } = await check(changes);
    expect(shown).toMatch(/FAIL {3}1 /);
    for (const text of [out, shown]) {
      expect(text).not.toMatch(unseen);
      expect(text).not.toMatch(/alert|passwd|user:pass|KKKK|xxxx/);
    }
  });

  it.each(hostileManifests)('is no adapter of the package: %s', (_what, changes, field) => {
    const definition: Pick<AdapterDefinition, 'verify'> = { verify: () => ({ ok: true, user: 'nobody' }) };
    const define = () =>
      defineAdapter({ ...definition, manifest: { ...good, ...changes } as AdapterDefinition['manifest'] });
    expect(define).toThrow(field ?? 'manifest must have ');
    expect(define).not.toThrow(/alert|passwd|user:pass|KKKK|xxxx/);
  });
});

describe('a manifest in another shape', () => {
  const shapes = [null, 7, '', 'text', true, [], {}, [null], [7], { a: { b: [] } }];
  const fields = [...Object.keys(good), 'webhook', 'message', 'oauth_config', 'skill', 'sources', 'events', 'author'];

  it.each(fields)('is checked to the end, whatever its %s is', async (field) => {
    for (const shape of shapes) {
      const { code, err } = await check({ [field]: shape });
      expect([shape, [0, 1].includes(code), err]).toEqual([shape, true, '']);
    }
  });
});

it('an adapter does nothing at the terminal of whoever checks it, and adds no line of results', async () => {
  const escapes = '\u001b[2J\u009b31m\u202e\u2028';
  version = `two${escapes}\npass   1  all of it`;
  const { out } = await check({ name: escapes, slug: `harm${escapes}` });
  expect(out).not.toMatch(unseen);
  expect(out).not.toMatch(/^pass {3}1 {2}all/m);
  // As the command of the package prints it.
  expect(printReport(await checkRunningAdapter({ url }))).not.toMatch(unseen);
  const { out: json } = await check({}, '--json');
  expect(json).not.toMatch(unseen);
  expect((JSON.parse(json) as Report).version).toBe(version);
});
