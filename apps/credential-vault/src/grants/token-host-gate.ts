import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type VaultSettings } from '../settings.js';

const opensAfter = 5;
const openForMs = 10_000;

/** The host fails every request. None is sent for some seconds, then one as a trial. */
export class GateClosed extends Error {
  override readonly name = 'GateClosed';
}

interface Host {
  running: number;
  waiting: (() => void)[];
  failures: number;
  openUntilMs: number;
}

/** Limits this process's token requests and stops them while a host is down. One gate per token host and client. */
@Injectable()
export class TokenHostGate {
  private readonly hosts = new Map<string, Host>();

  constructor(@Inject(SETTINGS) private readonly settings: VaultSettings) {}

  /** @throws GateClosed, or whatever the work throws */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const host = this.hosts.get(key) ?? { running: 0, waiting: [], failures: 0, openUntilMs: 0 };
    this.hosts.set(key, host);
    while (host.running >= this.settings.TOKEN_HOST_CONCURRENCY) {
      await new Promise<void>((resume) => host.waiting.push(resume));
    }
    if (host.failures >= opensAfter) {
      if (host.openUntilMs > Date.now()) {
        host.waiting.shift()?.();
        throw new GateClosed();
      }
      // Half open: this request goes through, the others wait for its result.
      host.openUntilMs = Date.now() + openForMs;
    }
    host.running += 1;
    try {
      return await work();
    } finally {
      host.running -= 1;
      host.waiting.shift()?.();
      if (host.running === 0 && host.waiting.length === 0 && host.failures === 0) this.hosts.delete(key);
    }
  }

  /** Records whether the host answered a request, in whatever way. */
  note(key: string, answered: boolean): void {
    const host = this.hosts.get(key);
    if (!host) return;
    host.failures = answered ? 0 : host.failures + 1;
    host.openUntilMs = Date.now() + openForMs;
  }
}
