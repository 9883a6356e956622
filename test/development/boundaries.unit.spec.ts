import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const config = '.dependency-cruiser.mjs';

/** Files that each break one rule, by rule. */
const offences: Record<string, [path: string, text: string]> = {
  'apps-import-no-apps': ['apps/router/src/other.ts', "export { a } from '../../engine/src/a.js';"],
  'libs-import-no-apps': ['libs/queue/src/app.ts', "export { a } from '../../../apps/engine/src/a.js';"],
  'path-imports-no-manage': ['apps/router/src/path/decide.ts', "export { a } from '../manage/a.js';"],
  'bullmq-only-in-queue': ['apps/router/src/jobs.ts', "export { Queue } from 'bullmq';"],
  'typeorm-only-where-rows-are': ['apps/router/src/rows.service.ts', "export { DataSource } from 'typeorm';"],
  'outgoing-calls-through-egress': ['apps/router/src/call.ts', "export { request } from 'undici';"],
  'adapters-stay-thin': ['apps/adapters/src/thick.ts', "export { Injectable } from '@nestjs/common';"],
  'servers-only-of-node-http': ['apps/router/src/socket.ts', "export { connect } from 'node:net';"],
  'libs-through-their-index': ['apps/router/src/inner.ts', "export { a } from '../../../libs/queue/src/a.js';"],
  'no-cycles': ['apps/router/src/loop.ts', "export { a } from './loop.js';"],
};

/** The findings of dependency-cruiser for a folder with only these files. */
async function verdict(files: [path: string, text: string][]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-boundaries-'));
  try {
    for (const [path, text] of [...files, ['package.json', '{"type":"module"}'] as const]) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    copyFileSync(join(root, config), join(folder, config));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const cruiser = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
    return await new Promise((resolve) => {
      const args = [cruiser, 'apps', 'libs', '--config', config];
      execFile(process.execPath, args, { cwd: folder }, (_error, printed) => resolve(printed));
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const a = 'export const a = 1;';
const imported: [string, string][] = [
  ['apps/engine/src/a.ts', a],
  ['apps/router/src/manage/a.ts', a],
  ['libs/queue/src/a.ts', a],
];

describe('the boundaries gate', () => {
  it('reports each import that a rule forbids, and no other', async () => {
    const printed = await verdict([...imported, ...Object.values(offences)]);
    const reported = [...printed.matchAll(/error ([\w-]+): (\S+) →/g)].map(([, rule, path]) => [rule, path]);
    expect(reported.toSorted()).toEqual(
      Object.entries(offences)
        .map(([rule, [path]]) => [rule, path])
        .toSorted(),
    );
  });

  it('reports nothing where the rules are kept', async () => {
    expect(await verdict(imported)).toMatch(/no dependency violations found \([1-9]/);
  });
});
