import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { AdapterRepository } from './adapter.repository.js';

const writeEveryMs = 2_000;
const maxRemembered = 10_000;
const maxLength = 500;

/** Shows on an adapter how it broke the contract last; an adapter that always does so is not written down each time. */
@Injectable()
export class ViolationLog implements OnApplicationShutdown {
  private readonly logger = new Logger('contract');
  private readonly resting = new Map<string, { timer: NodeJS.Timeout; next: string | null }>();

  constructor(@Inject(AdapterRepository) private readonly adapters: AdapterRepository) {}

  /** The first is written at once, of those that follow within a few seconds the last. */
  note(baseUrl: string, violation: string): void {
    const rest = this.resting.get(baseUrl);
    if (rest) rest.next = violation;
    else this.write(baseUrl, violation);
  }

  async onApplicationShutdown(): Promise<void> {
    const left = [...this.resting];
    for (const [, { timer }] of left) clearTimeout(timer);
    this.resting.clear();
    await Promise.all(left.map(([baseUrl, { next }]) => next !== null && this.record(baseUrl, next)));
  }

  private write(baseUrl: string, violation: string): void {
    if (this.resting.size < maxRemembered) {
      const timer = setTimeout(() => this.restOver(baseUrl), writeEveryMs).unref();
      this.resting.set(baseUrl, { timer, next: null });
    }
    void this.record(baseUrl, violation);
  }

  private restOver(baseUrl: string): void {
    const next = this.resting.get(baseUrl)?.next ?? null;
    this.resting.delete(baseUrl);
    if (next !== null) this.write(baseUrl, next);
  }

  private record(baseUrl: string, violation: string): Promise<void> {
    return this.adapters
      .recordViolation(baseUrl, violation.slice(0, maxLength).replaceAll('\0', '\ufffd'))
      .catch((error: unknown) => {
        this.logger.warn({ event: 'contract_violation.not_recorded', violation, error: String(error) });
      });
  }
}
