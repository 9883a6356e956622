import { Metrics, Problem } from '#libs/service-kit';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { setTimeout as wait } from 'node:timers/promises';
import { type RunnerSettings, SETTINGS } from '../settings.js';
import { hasKernelLimits } from './kernel-limits.js';
import { residentMb } from './resident-memory.js';
import { type Ending, Sandbox, type SandboxCall } from './sandbox.js';
import { isSame, type Tenant } from './tenant.js';

interface Waiting {
  tenant: Tenant;
  give(sandbox: Sandbox): void;
  refuse(): void;
}

const startRetryMs = 1_000;
const sweepMs = 1_000;

/**
 * Warm children for calls of any project. A child serves one source of one project from its first call to its end, so
 * what a tool does to its interpreter affects only its own later calls. An unused child is kept ready while calls come.
 * An idle pool keeps none, and its next call waits a third of a second for a child.
 */
@Injectable()
export class SandboxPool implements OnApplicationBootstrap, OnApplicationShutdown {
  /** Whether any child has ever become ready. */
  everWarm = false;
  /** Why the last child that was started failed to become ready; null once one has. */
  startFailure: string | null = null;

  private readonly logger = new Logger('python.pool');
  private readonly idle = new Set<Sandbox>();
  private readonly busy = new Set<Sandbox>();
  private readonly starts = new Set<Promise<void>>();
  private readonly closing = new AbortController();
  private waiting: Waiting[] = [];
  private lastCallMs = performance.now();
  private sweep: NodeJS.Timeout | undefined;

  constructor(
    @Inject(SETTINGS) private readonly settings: RunnerSettings,
    metrics: Metrics,
  ) {
    metrics.gauge(
      'gatehouse_python_children',
      'Sandbox children, warm and busy',
      () => this.idle.size + this.busy.size,
    );
    metrics.gauge('gatehouse_python_busy', 'Sandbox children at work', () => this.busy.size);
    metrics.gauge('gatehouse_python_waiting', 'Calls that wait for a child', () => this.waiting.length);
  }

  onApplicationBootstrap(): void {
    if (!hasKernelLimits) this.logger.warn({ event: 'python.no_kernel_limits', platform: process.platform });
    this.sweep = setInterval(() => this.dropForgotten(), sweepMs);
    this.serve();
  }

  async onApplicationShutdown(): Promise<void> {
    this.closing.abort();
    clearInterval(this.sweep);
    for (const waiting of this.waiting) waiting.refuse();
    const all = [...this.idle, ...this.busy];
    for (const sandbox of all) sandbox.kill();
    await Promise.all([...this.starts, ...all.map(({ ended }) => ended)]);
  }

  /**
   * @throws Problem 503 `runner_busy` when no child is free in time, or too many calls wait already; 503
   *   `sandbox_starting` before the first is warm; `sandbox_unavailable` when none can be started
   */
  async call(tenant: Tenant, call: SandboxCall): Promise<Ending> {
    const sandbox = await this.take(tenant);
    const ending = await sandbox.call(call);
    void this.giveBack(sandbox);
    return ending;
  }

  private async take(tenant: Tenant): Promise<Sandbox> {
    this.lastCallMs = performance.now();
    if (this.waiting.length >= this.settings.PYTHON_WAITING_CALLS) throw this.refusal();
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        tenant,
        give: (sandbox) => {
          clearTimeout(tooLate);
          resolve(sandbox);
        },
        refuse: () => {
          clearTimeout(tooLate);
          this.waiting = this.waiting.filter((each) => each !== waiting);
          reject(this.refusal());
        },
      };
      const tooLate = setTimeout(() => waiting.refuse(), this.settings.PYTHON_WAIT_MS);
      this.waiting.push(waiting);
      this.serve();
    });
  }

  private async giveBack(sandbox: Sandbox): Promise<void> {
    const { PYTHON_CALLS_PER_CHILD, PYTHON_KEEP_RSS_MB } = this.settings;
    const grown = sandbox.alive && sandbox.pid !== undefined ? await residentMb(sandbox.pid) : null;
    this.busy.delete(sandbox);
    if (sandbox.calls >= PYTHON_CALLS_PER_CHILD || (grown ?? 0) > PYTHON_KEEP_RSS_MB) sandbox.kill();
    if (sandbox.alive && !this.closing.signal.aborted) this.idle.add(sandbox);
    this.serve();
  }

  /** Assigns children to waiting calls, first come first served, and starts the missing ones. */
  private serve(): void {
    if (this.closing.signal.aborted) return;
    this.waiting = this.waiting.filter((waiting) => {
      if (this.isAtItsLimit(waiting.tenant)) return true;
      const sandbox = this.freeFor(waiting.tenant);
      if (!sandbox) return true;
      this.idle.delete(sandbox);
      this.busy.add(sandbox);
      sandbox.tenant = waiting.tenant;
      waiting.give(sandbox);
      return false;
    });
    const unserved = this.waiting.filter(({ tenant }) => !this.isAtItsLimit(tenant)).length;
    const spare = this.keepsSpare && ![...this.idle].some(({ tenant }) => tenant === null) ? 1 : 0;
    for (let missing = unserved + spare - this.starts.size; missing > 0; missing -= 1) {
      if (this.size >= this.settings.PYTHON_CHILDREN && !(unserved > this.starts.size && this.dropOldest())) return;
      this.begin();
    }
  }

  private refusal(): Problem {
    if (!this.everWarm && this.startFailure === null) {
      return unavailable('sandbox_starting', 'The first Python sandbox is still starting: try again in a few seconds.');
    }
    if (this.startFailure === null || this.busy.size > 0) {
      return unavailable('runner_busy', 'All Python sandboxes are busy: try again.');
    }
    const help = 'Python tools run again once one starts. See the log of the python-runner.';
    return unavailable('sandbox_unavailable', `Python sandboxes do not start: ${this.startFailure}. ${help}`);
  }

  /** Also true until the first child is warm: readiness depends on that one. */
  private get keepsSpare(): boolean {
    return !this.everWarm || performance.now() - this.lastCallMs < this.settings.PYTHON_IDLE_MS;
  }

  private get size(): number {
    return this.idle.size + this.busy.size + this.starts.size;
  }

  private isAtItsLimit({ organizationId }: Tenant): boolean {
    const own = [...this.busy].filter(({ tenant }) => tenant?.organizationId === organizationId).length;
    return own >= this.settings.PYTHON_CHILDREN_PER_ORGANIZATION;
  }

  private freeFor(tenant: Tenant): Sandbox | undefined {
    for (const each of this.idle) if (!each.alive) this.idle.delete(each);
    const free = [...this.idle];
    return (
      free.find((each) => each.tenant !== null && isSame(each.tenant, tenant)) ??
      free.find((each) => each.tenant === null)
    );
  }

  /** Makes room for a tenant without a child. */
  private dropOldest(): boolean {
    const [oldest] = [...this.idle].sort((one, other) => other.idleMs - one.idleMs);
    if (!oldest) return false;
    this.drop(oldest);
    return true;
  }

  private dropForgotten(): void {
    for (const sandbox of this.idle) {
      const forgotten = sandbox.tenant === null ? !this.keepsSpare : sandbox.idleMs > this.settings.PYTHON_IDLE_MS;
      if (forgotten || !sandbox.alive) this.drop(sandbox);
    }
    this.serve();
  }

  private drop(sandbox: Sandbox): void {
    this.idle.delete(sandbox);
    sandbox.kill();
  }

  private begin(): void {
    const start = this.start().finally(() => {
      this.starts.delete(start);
      this.serve();
    });
    this.starts.add(start);
  }

  private async start(): Promise<void> {
    const { signal } = this.closing;
    try {
      const sandbox = await Sandbox.start(this.settings, signal);
      this.everWarm = true;
      this.startFailure = null;
      if (signal.aborted) sandbox.kill();
      else this.idle.add(sandbox);
    } catch (error) {
      if (signal.aborted) return;
      this.startFailure = error instanceof Error ? error.message : String(error);
      this.logger.error({ event: 'python.start_failed', error: this.startFailure });
      await wait(startRetryMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

const unavailable = (code: string, detail: string): Problem =>
  new Problem(503, code, detail, [], { 'retry-after': '1' });
