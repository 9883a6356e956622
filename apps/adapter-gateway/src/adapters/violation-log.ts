import { Injectable, Logger } from '@nestjs/common';
import { AdapterRepository } from './adapter.repository.js';

const writeEveryMs = 5_000;
const maxRemembered = 10_000;
const maxLength = 500;

/** Records on an adapter how it last broke the contract; the same violation at most once in 5 s. */
@Injectable()
export class ViolationLog {
  private readonly logger = new Logger('contract');
  private readonly writtenAtMs = new Map<string, number>();

  constructor(private readonly adapters: AdapterRepository) {}

  note(baseUrl: string, violation: string): void {
    const nowMs = Date.now();
    const key = `${baseUrl} ${violation}`;
    if (nowMs - (this.writtenAtMs.get(key) ?? 0) < writeEveryMs) return;
    if (this.writtenAtMs.size >= maxRemembered) this.writtenAtMs.clear();
    this.writtenAtMs.set(key, nowMs);
    this.adapters.recordViolation(baseUrl, violation.slice(0, maxLength)).catch((error: unknown) => {
      this.logger.warn({ event: 'contract_violation.not_recorded', violation, error: String(error) });
    });
  }
}
