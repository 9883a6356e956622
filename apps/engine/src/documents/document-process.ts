import { Problem } from '#libs/service-kit';
import { type ChildProcess, spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { DocumentRefusal } from './document-text.js';

export interface DocumentLimits {
  maxChars: number;
  maxPages: number;
  /** Of what is packed in the file. */
  maxBytes: number;
}

interface ProcessLimits {
  /** Files that are read at the same time; the others wait. */
  atOnce: number;
  timeoutMs: number;
  memoryMb: number;
}

type Answer = { text: string } | { refused: DocumentRefusal };

const memoryEveryMs = 50;
const folder = realpathSync(fileURLToPath(new URL('extract', import.meta.url)));
const script = `${folder}/child.mjs`;

/**
 * Reads files of strangers in a process for each: it may read the packages and itself, gets no other file, no process,
 * worker or addon, nothing of the environment, and dies with its time or its memory.
 */
export class DocumentProcess {
  private running = 0;
  private readonly waiting: (() => void)[] = [];
  private readonly children = new Set<ChildProcess>();
  private hasEnded = false;

  constructor(private readonly limits: ProcessLimits) {}

  async read(bytes: Buffer, limits: DocumentLimits): Promise<Answer> {
    if (this.running >= this.limits.atOnce) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.running += 1;
    try {
      return await this.readIn(bytes, limits);
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }

  /** What is read meanwhile is not judged: its caller asks again. */
  end(): void {
    this.hasEnded = true;
    for (const child of this.children) child.kill('SIGKILL');
  }

  private async readIn(bytes: Buffer, limits: DocumentLimits): Promise<Answer> {
    const { timeoutMs, memoryMb } = this.limits;
    const child = spawn(process.execPath, [...bounds(memoryMb), script, JSON.stringify(limits)], {
      env: {},
      cwd: '/',
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.children.add(child);
    const ended = new Promise<void>(
      (resolve) => void child.once('close', () => resolve()).once('error', () => resolve()),
    );
    let outgrew = false;
    const stop = (): void => {
      outgrew = true;
      child.kill('SIGKILL');
    };
    const timer = setTimeout(stop, timeoutMs);
    const watch = setInterval(() => void residentMb(child.pid).then((mb) => mb > memoryMb && stop()), memoryEveryMs);
    try {
      // A pipe breaks when its process ends, which its answer shows.
      child.stdin.on('error', () => undefined).end(bytes);
      const [answer] = await Promise.all([buffer(child.stdout).catch(() => Buffer.alloc(0)), ended]);
      const read = answerIn(answer.toString());
      if (read) return read;
      if (this.hasEnded || child.pid === undefined) {
        throw new Problem(503, 'service_unavailable', 'The file could not be read just now: try again.');
      }
      return { refused: outgrew || child.exitCode !== 0 ? 'too_large' : 'unreadable' };
    } finally {
      clearTimeout(timer);
      clearInterval(watch);
      this.children.delete(child);
    }
  }
}

/** Half of the memory is for the heap; bytes of files are beside it. */
function bounds(memoryMb: number): string[] {
  return [
    '--permission',
    ...readable().map((path) => `--allow-fs-read=${path}`),
    '--disallow-code-generation-from-strings',
    '--disable-warning=SecurityWarning',
    '--no-warnings',
    `--max-old-space-size=${Math.floor(memoryMb / 2)}`,
  ];
}

/** Where the packages are: beside the build, and those that it does not contain. */
function readable(): string[] {
  const { resolve } = createRequire(import.meta.url);
  const homes = ['unpdf', 'fflate', 'htmlparser2'].map((name) => {
    const path = realpathSync(resolve(name));
    return path.slice(0, path.lastIndexOf('/node_modules/') + '/node_modules/'.length);
  });
  return [...new Set([`${folder}/`, ...homes])];
}

function answerIn(text: string): Answer | null {
  try {
    return JSON.parse(text) as Answer;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return null;
  }
}

/** 0 where it is unknown: another system, or the process is gone. */
async function residentMb(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1_024;
}
