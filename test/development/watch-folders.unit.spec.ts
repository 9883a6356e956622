import { until } from '#libs/testing';
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { watchFolders } from '../../scripts/dev/watch-folders.mjs';

let top: string;
let end: () => void;
const reported = new Set<string>();
const file = (path: string): string => join(top, path);

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'gatehouse-watch-'));
  mkdirSync(file('routing/rules'), { recursive: true });
  writeFileSync(file('routing/rules/decide.ts'), '1');
  reported.clear();
  end = watchFolders([top], (path) => reported.add(path), fail);
});
afterEach(() => {
  end();
  rmSync(top, { recursive: true });
});

function fail(error: Error): never {
  throw error;
}

/** Makes a change and waits until it is reported. */
async function hears(path: string, change: () => void): Promise<void> {
  reported.clear();
  change();
  await until(`${path} is reported`, () => reported.has(file(path)));
}

describe('a change below a folder', () => {
  it('is reported even if the file was replaced before, as editors do', async () => {
    const path = 'routing/rules/decide.ts';
    for (const _time of [1, 2]) {
      await hears(path, () => {
        writeFileSync(file('draft'), '2');
        renameSync(file('draft'), file(path));
      });
      await hears(path, () => appendFileSync(file(path), '3'));
    }
    await hears(path, () => rmSync(file(path)));
  });

  it('is reported in a new folder, and in one that existed before', async () => {
    for (const _time of [1, 2]) {
      await hears('guards', () => mkdirSync(file('guards')));
      await hears('guards/clock.ts', () => writeFileSync(file('guards/clock.ts'), '1'));
      await hears('guards/clock.ts', () => appendFileSync(file('guards/clock.ts'), '2'));
      await hears('guards', () => rmSync(file('guards'), { recursive: true }));
    }
  });
});
