import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

/** Runs `npm start` with options, and ends it if it starts the system. */
async function start(...options: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, ['scripts/start.mjs', ...options], { timeout: 5_000, killSignal: 'SIGKILL' });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, error] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, output: `${out}${error}` };
}

describe('the options of npm start', () => {
  it.each(['--help', '-h'])('are listed by %s, which starts nothing', async (option) => {
    expect(await start(option)).toEqual({ code: 0, output: expect.stringMatching(/--data-dir DIR[^]*--small/) });
  });

  it.each(['--smal', 'small', '--port=8080'])('have no %s: it is refused, and nothing starts', async (option) => {
    const { code, output } = await start('--no-install', '--data-dir', 'somewhere', option);
    expect(code).toBe(1);
    expect(output).toContain(`${option} is no option of npm start`);
  });

  it('are refused without the folder that one needs', async () => {
    expect(await start('--data-dir')).toEqual({
      code: 1,
      output: expect.stringContaining('--data-dir needs a folder'),
    });
  });
});
