import { until } from '#libs/testing';
import { Supervisor } from '../../scripts/launcher/supervisor.mjs';

const reported: string[] = [];
const ended: string[] = [];
let pids = 0;

/** A process that runs until it is stopped. */
function child() {
  const { promise: exited, resolve: end } = Promise.withResolvers<string>();
  pids += 1;
  return { pid: pids, exited, end, stop: async () => end('signal SIGTERM') };
}

let supervisor: Supervisor;
let children: ReturnType<typeof child>[];

beforeEach(async () => {
  reported.splice(0);
  ended.splice(0);
  children = [];
  supervisor = new Supervisor({ say: (text) => void reported.push(text), onEnd: (name) => void ended.push(name) });
  await supervisor.keep('router', async () => {
    children.push(child());
    return children.at(-1)!;
  });
});
afterEach(() => supervisor.stop(['router']));

describe('a supervised child', () => {
  it('is restarted on request, and nothing is reported as failed', async () => {
    await supervisor.restart('router');
    await until('another one runs', () => supervisor.pidOf('router') === children[1]?.pid);
    expect([...reported, ...ended]).toEqual([]);
  });

  it('is restarted when it ends by itself, also after an earlier requested restart', async () => {
    await supervisor.restart('router');
    await until('another one runs', () => supervisor.pidOf('router') === children[1]?.pid);
    children[1]?.end('exit code 1');
    await until('a third one runs', () => supervisor.pidOf('router') === children[2]?.pid);
    expect(ended).toEqual(['router']);
    expect(reported[0]).toMatch(/^router ended \(exit code 1\); starting it again in \d+ ms$/);
    expect(reported[1]).toMatch(/^router runs again/);
  });
});
