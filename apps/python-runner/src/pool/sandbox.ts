import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { Duplex } from 'node:stream';
import type { RunnerSettings } from '../settings.js';
import { childArguments, maxAnswerBytes, sandboxScript } from './child-command.js';
import { FrameReader, frameOf } from './frames.js';
import { hasKernelLimits, limitByKernel } from './kernel-limits.js';
import { outgrows } from './resident-memory.js';
import type { Tenant } from './tenant.js';
import { isObject } from './untrusted.js';

/** How a call ended. After anything but an answer the child is dead. */
export type Ending =
  { kind: 'answer'; answer: unknown; durationMs: number } | { kind: 'timeout' | 'memory' | 'crashed' };

export interface SandboxCall {
  request: { kind: 'compile' | 'run' } & Record<string, unknown>;
  timeoutMs: number;
  /** Answers a tool's question to its host: `{value}` or `{refused}`. The question is unchecked. */
  answerQuestion(question: unknown): Promise<{ value: unknown } | { refused: string }>;
}

interface CallInFlight extends SandboxCall {
  id: string;
  startedMs: number;
  asking: boolean;
  end(ending: Ending): void;
}

/** Frames outside any call that a child may send before it counts as hostile. */
const strayFrames = 100;

/** One child process and its calls, one at a time. Nothing that the child sends is trusted. */
export class Sandbox {
  /** The project and source that it serves; null until its first call. */
  tenant: Tenant | null = null;
  calls = 0;
  lastUsedMs = Date.now();
  alive = true;
  /** Resolves when the process has exited. */
  readonly ended: Promise<void>;

  private readonly child: ChildProcess;
  private readonly requests: Duplex;
  private readonly frames: FrameReader;
  private readonly bootNonce = randomUUID();
  private onReady: (() => void) | null = null;
  private inFlight: CallInFlight | null = null;
  private strays = 0;

  private constructor(
    private readonly settings: RunnerSettings,
    script: string,
  ) {
    this.frames = new FrameReader(maxAnswerBytes(settings));
    this.child = spawn(process.execPath, childArguments(settings, this.bootNonce, script), {
      env: {},
      cwd: '/',
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    });
    const [, , , answers, requests] = this.child.stdio;
    if (!(answers instanceof Duplex) || !(requests instanceof Duplex)) throw new Error('the child has no pipes');
    this.requests = requests;
    answers.on('data', (chunk: Buffer) => this.take(chunk));
    // A pipe breaks when its process ends, which is handled below.
    for (const pipe of [answers, requests]) pipe.on('error', () => undefined);
    this.ended = new Promise((resolve) => {
      const gone = (): void => {
        this.alive = false;
        this.inFlight?.end({ kind: 'crashed' });
        resolve();
      };
      this.child.once('exit', gone);
      this.child.once('error', gone);
    });
  }

  /** Milliseconds since the last call, or since the start. */
  get idleMs(): number {
    return Date.now() - this.lastUsedMs;
  }

  /** Undefined when the process could not be started. */
  get pid(): number | undefined {
    return this.child.pid;
  }

  /** @throws Error when the child is not warm in time, exits before, or cannot be limited */
  static async start(settings: RunnerSettings, signal: AbortSignal, script = sandboxScript): Promise<Sandbox> {
    signal.throwIfAborted();
    const sandbox = new Sandbox(settings, script);
    const ready = new Promise<'ready'>((resolve) => (sandbox.onReady = () => resolve('ready')));
    const late = AbortSignal.any([signal, AbortSignal.timeout(settings.PYTHON_START_MS)]);
    const outcome = await Promise.race([
      ready,
      sandbox.ended.then(() => 'ended' as const),
      new Promise<'late'>((resolve) => late.addEventListener('abort', () => resolve('late'))),
    ]);
    try {
      if (outcome !== 'ready' || sandbox.pid === undefined) throw new Error(sandbox.whyNotReady(outcome));
      if (hasKernelLimits) await limitByKernel(sandbox.pid, settings.PYTHON_CPU_SECONDS);
    } catch (error) {
      sandbox.kill();
      throw error;
    }
    return sandbox;
  }

  private whyNotReady(outcome: 'ready' | 'ended' | 'late'): string {
    if (this.pid === undefined) return `its process could not be started (${process.execPath})`;
    if (outcome === 'late') return `it was not warm after ${this.settings.PYTHON_START_MS} ms (PYTHON_START_MS)`;
    const { exitCode, signalCode } = this.child;
    return `it ended before it was warm (${signalCode ?? `exit code ${exitCode}`})`;
  }

  /** Makes one call. The caller ensures that no other is in flight. */
  async call(call: SandboxCall): Promise<Ending> {
    if (!this.alive) return { kind: 'crashed' };
    this.calls += 1;
    const over = new AbortController();
    const startedMs = performance.now();
    const ending = await new Promise<Ending>((resolve) => {
      const id = randomUUID();
      this.inFlight = { ...call, id, startedMs, asking: false, end: resolve };
      const deadline = setTimeout(() => resolve({ kind: 'timeout' }), call.timeoutMs);
      over.signal.addEventListener('abort', () => clearTimeout(deadline));
      const watch = outgrows(this.pid ?? 0, this.settings.PYTHON_RSS_MB, over.signal);
      void watch.then((grown) => grown && resolve({ kind: 'memory' }));
      this.requests.write(frameOf({ ...call.request, id }));
    });
    over.abort();
    this.inFlight = null;
    this.lastUsedMs = Date.now();
    if (ending.kind !== 'answer') this.kill();
    return ending;
  }

  /** Closes the pipe to the child, as the end of this process would. */
  abandon(): void {
    this.requests.destroy();
  }

  kill(): void {
    this.alive = false;
    this.child.kill('SIGKILL');
  }

  private take(chunk: Buffer): void {
    if (!this.alive) return;
    try {
      for (const message of this.frames.read(chunk)) this.heed(message);
    } catch {
      // Not a frame, so nothing after it can be read either.
      this.inFlight?.end({ kind: 'crashed' });
      this.kill();
    }
  }

  /** Messages with another id than the call's are ignored: they are stale or forged. */
  private heed(message: unknown): void {
    const { id, kind, answer, question } = isObject(message) ? message : {};
    const call = this.inFlight;
    if (kind === 'ready' && id === this.bootNonce) this.onReady?.();
    else if (kind === 'answer' && call && id === call.id)
      call.end({ kind: 'answer', answer, durationMs: performance.now() - call.startedMs });
    else if (kind === 'question' && call && id === call.id && !call.asking) void this.reply(call, question);
    else if (++this.strays > strayFrames) throw new Error('too many unexpected frames');
  }

  private async reply(call: CallInFlight, question: unknown): Promise<void> {
    call.asking = true;
    const answer = await call
      .answerQuestion(question)
      .catch(() => ({ refused: 'The platform could not answer: try again later.' }));
    call.asking = false;
    if (this.inFlight === call && this.alive) this.requests.write(frameOf({ id: call.id, answer }));
  }
}
