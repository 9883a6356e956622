import { until } from '#libs/testing';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Clone, commandsOf, environmentIn, follow, freshClone, untilReply } from './guide.js';

/** A first start makes its own stores, and other tests may run beside it. */
const startMs = 240_000;

describe('the first steps of the README, followed as they stand in a fresh clone', () => {
  const [commands = '', message = ''] = commandsOf('../../README.md');
  let clone: Clone;
  let running: ChildProcess;
  let printed = '';

  beforeAll(() => {
    clone = freshClone();
    const [start = ''] = commands.split('\n');
    const {
      // Those of the tests: a person has none yet.
      DATABASE_URL: _database,
      REDIS_URL: _redis,
      NODE_ENV: _environment,
      NODE_OPTIONS: _options,
      ...env
    } = environmentIn(clone);
    running = spawn('bash', ['-c', `exec ${start}`], { cwd: clone.folder, env, detached: true });
    running.stdout?.on('data', (text) => (printed += String(text)));
    running.stderr?.on('data', (text) => (printed += String(text)));
  });
  afterAll(async () => {
    if (running.exitCode === null && running.pid) {
      // Ctrl-C, which a terminal sends to all that runs in it.
      process.kill(-running.pid, 'SIGINT');
      await once(running, 'exit');
    }
    clone.remove();
  });

  it('start the system and test it', () => {
    // This spec is a part of what the second one runs.
    expect(commands.split('\n').map((line) => line.replace(/ +#.*/, ''))).toEqual(['npm start', 'npm test', '']);
  });

  it(
    'lead to a link, a webhook URL and a curl that works',
    async () => {
      await until('it runs', () => printed.includes('Ctrl-C stops everything'), startMs);
      expect(printed).toMatch(/Webhook URL +http\S+\/api\/v1\/webhooks\/\S+/);
      const link = /Sign in +(http\S+)/.exec(printed)?.[1] ?? '';
      // As a browser asks.
      expect((await fetch(link, { headers: { accept: 'text/html' } })).status).toBe(200);
      const [curl = ''] = /^ *curl -i .*$/m.exec(printed) ?? [];
      const [answer] = await follow(clone, [curl]);
      expect(answer).toMatch(/^HTTP\/1\.1 200 [^]*"received":true/);
    },
    startMs + 60_000,
  );

  it('lead to the first message and its reply', async () => {
    const [shown] = await follow(clone, [untilReply(message)]);
    expect(shown).toMatch(/^Reply +Rehearsal model .*Say hello/m);
    expect(shown).toMatch(/engine +turn +succeeded/);
  });
});
