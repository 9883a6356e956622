import { join } from 'node:path';
import { type System, startSmallSystem } from '../system/system.js';
import { type Clone, cloneOf, commandsOf, follow } from './guide.js';

const root = join(import.meta.dirname, '../..');

/** What `npm install` would fetch from a registry, from this repository instead. */
const installed = (block: string): string =>
  block.replace(
    /^npm install .*$/m,
    [
      'mkdir -p node_modules/@gatehouse node_modules/@types node_modules/.bin',
      'ln -s "$GATEHOUSE/dist/packages/adapter-sdk" node_modules/@gatehouse/adapter-sdk',
      `ln -s "${root}/node_modules/@types/node" node_modules/@types/node`,
      `ln -s "${root}/node_modules/typescript/bin/tsc" node_modules/.bin/tsc`,
      'ln -s ../@gatehouse/adapter-sdk/dist/cli.js node_modules/.bin/gatehouse',
    ].join('\n'),
  );

describe('the guide to write an adapter, followed as it stands', () => {
  let system: System;
  let clone: Clone;
  beforeAll(async () => {
    system = await startSmallSystem({ GATEHOUSE_EGRESS_ALLOW: '127.0.0.1' });
    clone = cloneOf(system);
  });
  afterAll(async () => {
    clone?.remove();
    await system?.stop();
  });

  it('leads from an empty folder to the first reply in a channel', async () => {
    const [functions = ''] = commandsOf('receive-a-webhook.md');
    const blocks = commandsOf('write-an-adapter.md').map(installed);
    const printed = await follow(clone, [functions, ...blocks]);
    const text = printed.join('\n');
    expect(text).toMatch(/"version":"first"/);
    expect(text).toMatch(/0 failed/);
    expect(text).toMatch(/"id":"credentials_accepted"[^}]*"status":"ok"/);
    expect(text).toMatch(/Acme was sent .*"channel":"c-1".*"thread":"m-1"/);
    expect(printed.at(-1)).toMatch(/"state":"delivered"/);
    expect(text).not.toMatch(/anyone who reaches the port/);
  });
});
