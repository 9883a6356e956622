import { Inject, Injectable, Logger } from '@nestjs/common';
import { type AuditedUse, AuditRepository } from './audit.repository.js';

/** DI token: how long uses are counted before they are written, in ms. */
export const AUDIT_FLUSH_MS = Symbol('AUDIT_FLUSH_MS');

const maxDistinct = 5_000;

/**
 * Writes down what services do with every message. A row for each would cost more than the work itself, so equal uses of
 * some seconds become one row with their number; a crash loses the seconds since the last write.
 */
@Injectable()
export class FrequentUses {
  private readonly logger = new Logger('audit');
  private counted = new Map<string, AuditedUse & { times: number }>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(AuditRepository) private readonly audit: AuditRepository,
    @Inject(AUDIT_FLUSH_MS) private readonly flushMs: number,
  ) {}

  add(use: AuditedUse): void {
    const key = [use.credentialId, use.actor, use.action, use.consumer, use.fields.join()].join(' ');
    const known = this.counted.get(key);
    if (known) known.times += 1;
    else this.counted.set(key, { ...use, times: 1 });
    if (this.counted.size >= maxDistinct) void this.flush();
    this.timer ??= setTimeout(() => void this.flush(), this.flushMs);
  }

  /** Nest calls this on shutdown, before the connections close. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.flush();
  }

  private async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const uses = [...this.counted.values()];
    this.counted = new Map();
    if (uses.length === 0) return;
    try {
      await this.audit.append(uses);
    } catch (error) {
      this.logger.error({ event: 'audit.lost', uses: uses.length, reason: String(error) });
    }
  }
}
