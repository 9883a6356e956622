import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { smallSettings } from '../testing/runner-world.js';
import { type Ending, Sandbox } from './sandbox.js';

const never = new AbortController().signal;
const hostile = fileURLToPath(new URL('../testing/hostile-child.mjs', import.meta.url));

describe('a child', () => {
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await Sandbox.start(smallSettings, never);
  });
  afterAll(async () => {
    sandbox.kill();
    await sandbox.ended;
  });
  const ofProcess = (file: string): Promise<string> => readFile(`/proc/${sandbox.pid}/${file}`, 'utf8');

  it('has an empty environment and may read only the files that it starts from', async () => {
    expect(await ofProcess('environ')).toBe('');
    const flags = (await ofProcess('cmdline')).split('\0').filter((each) => each.startsWith('--'));
    expect(flags).toContain('--permission');
    expect(flags).toContain('--disallow-code-generation-from-strings');
    expect(flags.filter((each) => each.startsWith('--allow'))).toEqual([
      expect.stringMatching(/^--allow-fs-read=.*\/node_modules\/pyodide\/$/),
      expect.stringMatching(/^--allow-fs-read=.*\/python-runner\/src\/sandbox\/$/),
      expect.stringMatching(/^--allow-fs-read=.*\/dist\/python-memory$/),
    ]);
  });

  it('can open nothing: no file, no socket, whatever code it ends up running', async () => {
    const limits = await ofProcess('limits');
    expect(limits).toMatch(/^Max open files +0 +0 /m);
    expect(limits).toMatch(/^Max file size +0 +0 /m);
    expect(limits).toMatch(new RegExp(`^Max cpu time +${smallSettings.PYTHON_CPU_SECONDS} `, 'm'));
  });

  it('ends when the runner is gone', async () => {
    const orphan = await Sandbox.start(smallSettings, never);
    orphan.abandon();
    await orphan.ended;
    expect(orphan.alive).toBe(false);
  });
});

describe('a compromised child', () => {
  const asked: unknown[] = [];

  async function outcomeOf(source: string): Promise<[Ending, boolean]> {
    const sandbox = await Sandbox.start(smallSettings, never, hostile);
    const ending = await sandbox.call({
      request: { kind: 'run', source },
      timeoutMs: 10_000,
      answerQuestion: (question) => {
        asked.push(question);
        return Promise.resolve({ value: 'answered' });
      },
    });
    const { alive } = sandbox;
    sandbox.kill();
    await sandbox.ended;
    return [ending, alive];
  }

  it.each(['another id', 'in pieces', 'two at once'])('is heard only for its own call: %s', async (source) => {
    expect(await outcomeOf(source)).toEqual([{ kind: 'answer', answer: source, durationMs: expect.any(Number) }, true]);
  });

  it.each(['no JSON', 'too long', 'flood'])('is killed for %s', async (source) => {
    expect(await outcomeOf(source)).toEqual([{ kind: 'crashed' }, false]);
  });

  it('gets an answer to one question at a time', async () => {
    expect(await outcomeOf('questions at once')).toEqual([
      { kind: 'answer', answer: { value: 'answered' }, durationMs: expect.any(Number) },
      true,
    ]);
    expect(asked).toEqual([1]);
  });
});

it('a start that fails says so and leaves nothing behind', async () => {
  await expect(Sandbox.start(smallSettings, never, `${hostile}.none`)).rejects.toThrow(
    /it ended before it was warm \(exit code 1\)/,
  );
  const closing = new AbortController();
  const start = expect(Sandbox.start(smallSettings, closing.signal)).rejects.toThrow(/it was not warm after/);
  closing.abort();
  await start;
  await expect(Sandbox.start(smallSettings, closing.signal)).rejects.toThrow(/abort/);
});
