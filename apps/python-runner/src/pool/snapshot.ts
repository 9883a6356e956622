import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { RunnerSettings } from '../settings.js';
import { snapshotArguments } from './child-command.js';

/** Far above what Python needs: a maker that writes more has gone wrong. */
const maxBytes = 268_435_456;

/**
 * The memory that every child starts from, made once by a process that runs no tool: 31 MB, in two seconds. From it a child
 * is warm in a quarter of a second, so each tool can have a child of its own.
 * @throws Error when it was not there in time
 */
export async function makeSnapshot(settings: RunnerSettings, signal: AbortSignal): Promise<Buffer> {
  signal.throwIfAborted();
  const maker = spawn(process.execPath, snapshotArguments(settings), {
    env: {},
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    maker.once('error', reject);
    maker.once('close', resolve);
  });
  const late = AbortSignal.any([signal, AbortSignal.timeout(settings.PYTHON_START_MS)]);
  late.addEventListener('abort', () => maker.kill('SIGKILL'));
  const [, , said, pictured] = maker.stdio;
  const [snapshot, words] = await Promise.all([
    read(pictured as Readable, maxBytes),
    read(said as Readable, 65_536),
    ended,
  ]);
  if (maker.exitCode === 0 && snapshot.length > 0) return snapshot;
  const why = late.aborted
    ? `not in ${settings.PYTHON_START_MS} ms (PYTHON_START_MS)`
    : words.toString('utf8').slice(-1_000);
  throw new Error(`the memory of Python was not made: ${why}`);
}

/** Everything that comes, or its first bytes. */
async function read(stream: Readable, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let held = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    held += chunk.length;
    if (held <= most) chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
