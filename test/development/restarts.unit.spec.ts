import { PACKAGES, processesToRestart } from '../../scripts/dev/module-graph.mjs';

const processes = ['router', 'engine', 'python-runner'].map((name) => ({
  name,
  entry: `dist/apps/${name}/src/main.js`,
}));

/** A build's output, as tsc writes it. */
const built: Record<string, string> = {
  'apps/router/src/main.js': `import 'reflect-metadata';\nimport { decide } from './path/routing/decide.js';\nawait decide();\n`,
  'apps/router/src/path/routing/decide.js': `import { newId, } from '#libs/contracts';\nexport const decide = () => newId();\n`,
  'apps/router/src/testing/world.js': `import { decide } from '../routing/decide.js';\n`,
  'apps/engine/src/main.js': `const { startService } = await import('#libs/service-kit');\nstartService();\n`,
  'apps/python-runner/src/main.js': `const folder = new URL('./sandbox', import.meta.url);\nawait import('./run.js');\n`,
  'apps/python-runner/src/run.js': `export {};\n`,
  'apps/python-runner/src/sandbox/child.mjs': `import { frame } from './frame.mjs';\n`,
  'apps/python-runner/src/sandbox/frame.mjs': `export const frame = 1;\n`,
  'libs/contracts/src/index.js': `export * from './ids.js';\n`,
  'libs/contracts/src/ids.js': `import { randomBytes } from 'node:crypto';\nexport const newId = () => randomBytes(8);\n`,
  'libs/service-kit/src/index.js': `export {\n    startService,\n    stopService,\n} from './start-service.js';\n`,
  'libs/service-kit/src/start-service.js': `import { newId } from '#libs/contracts';\n`,
  [PACKAGES]: 'one',
};

function restartsAfter(changes: Record<string, string | undefined>): string[] {
  const after = Object.entries({ ...built, ...changes }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return processesToRestart(processes, new Map(Object.entries(built)), new Map(after));
}

describe('the processes that a change restarts', () => {
  it.each([
    ['its own file', 'apps/router/src/path/routing/decide.js', ['router']],
    ['a file of a library, by its index', 'libs/service-kit/src/start-service.js', ['engine']],
    ['a library of libraries', 'libs/contracts/src/ids.js', ['router', 'engine']],
    ['what is imported later', 'apps/python-runner/src/run.js', ['python-runner']],
    ['what it runs as a process of its own', 'apps/python-runner/src/sandbox/frame.mjs', ['python-runner']],
    ['what tests alone import', 'apps/router/src/testing/world.js', []],
  ])('are those that load %s', (_what, path, names) => {
    expect(restartsAfter({ [path]: `${built[path]}// changed\n` })).toEqual(names);
  });

  it('restarts no process where the build output is unchanged', () => {
    expect(restartsAfter({})).toEqual([]);
  });

  it('include those that loaded a file which is gone', () => {
    expect(restartsAfter({ 'apps/python-runner/src/sandbox/frame.mjs': undefined })).toEqual(['python-runner']);
  });

  it('are all where packages changed, which the build bundles for all', () => {
    expect(restartsAfter({ [PACKAGES]: 'another' })).toEqual(['router', 'engine', 'python-runner']);
  });
});
