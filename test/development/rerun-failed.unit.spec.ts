import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-rerun-'));
afterAll(() => rmSync(folder, { recursive: true }));

const passing = 'libs/contracts/src/ids.unit.spec.ts';
const missing = 'libs/contracts/src/not-there.unit.spec.ts';

const rerun = (list: string): Promise<{ code: number; printed: string }> => {
  const file = join(folder, 'failures.json');
  writeFileSync(file, list);
  const args = [join(root, 'scripts/rerun-failed.mjs'), file];
  const env = { ...process.env, GATEHOUSE_TEST_STORES: 'none' };
  return new Promise((resolve) =>
    execFile(process.execPath, args, { cwd: root, env }, (error, stdout) =>
      resolve({ code: Number(error?.code ?? 0), printed: stdout }),
    ),
  );
};
const failed = (...files: string[]) => JSON.stringify(files.map((file) => ({ file, failure: `● ${file} once` })));

describe('spec files that failed', () => {
  it('passes, printed as flaky with the first failure, when each passes alone', async () => {
    const { code, printed } = await rerun(failed(passing));
    expect(printed).toContain(`flaky: ${passing}\nIt passed alone. Its first failure:\n● ${passing} once`);
    expect(code).toBe(0);
  });

  it('rejects when one fails twice', async () => {
    const { code, printed } = await rerun(failed(passing, missing));
    expect(printed).toContain(`flaky: ${passing}`);
    expect(printed).toContain(`failed twice: ${missing}`);
    expect(code).toBe(1);
  });

  it('rejects without running again when the tests did not end or too many failed', async () => {
    const tooMany = failed(...Array.from({ length: 11 }, (_, at) => `${at}.unit.spec.ts`));
    for (const list of ['', '[]', tooMany]) {
      const { code, printed } = await rerun(list);
      expect(printed).toContain('nothing is run again');
      expect(code).toBe(1);
    }
  });
});
