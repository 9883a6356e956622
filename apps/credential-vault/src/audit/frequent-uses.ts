import { Batcher } from '#libs/batching';
import { isRefusedRow } from '#libs/database';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { SETTINGS, type VaultSettings } from '../settings.js';
import { type AuditedUse, AuditRepository } from './audit.repository.js';

const maxDistinct = 5_000;

interface Counted {
  use: AuditedUse;
  /** Resolves when the first use is written. */
  written: Promise<void>;
  /** Uses since the first one. */
  more: number;
}

/**
 * Audits what services do with every message. The first of equal uses is committed before anything is handed out. Later
 * ones are counted and written as one line with their number. So a crash loses a count, but never the fact that a
 * service had a credential.
 */
@Injectable()
export class FrequentUses {
  private readonly logger = new Logger('audit');
  private readonly firsts: Batcher<AuditedUse>;
  private counted = new Map<string, Counted>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly audit: AuditRepository,
    @Inject(SETTINGS) private readonly settings: VaultSettings,
  ) {
    const write = async (uses: AuditedUse[]): Promise<[]> => {
      await this.audit.append(uses);
      return [];
    };
    this.firsts = new Batcher<AuditedUse>(write, {
      maxItems: 500,
      maxWaitMs: 0,
      maxRunning: 2,
      failsByItem: isRefusedRow,
    });
  }

  /** Resolves once the audit contains this use. @throws Error when it cannot be written; hand nothing out then */
  add(use: AuditedUse): Promise<void> {
    const key = [use.credentialId, use.actor, use.action, use.consumer, use.fields.join()].join(' ');
    const known = this.counted.get(key);
    if (known) {
      known.more += 1;
      return known.written;
    }
    if (this.counted.size >= maxDistinct) void this.flush();
    const written = this.firsts.add(use);
    this.counted.set(key, { use, written, more: 0 });
    written.catch(() => this.counted.delete(key));
    this.timer ??= setTimeout(() => void this.flush(), this.settings.AUDIT_FLUSH_MS);
    return written;
  }

  /** Nest calls this on shutdown, before the connections close. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.flush();
    await this.firsts.drain();
  }

  private async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const repeated = [...this.counted.values()].filter(({ more }) => more > 0);
    this.counted = new Map();
    if (repeated.length === 0) return;
    try {
      await this.audit.append(repeated.map(({ use, more }) => ({ ...use, times: more })));
    } catch (error) {
      const uses = repeated.reduce((sum, { more }) => sum + more, 0);
      this.logger.error({ event: 'audit.numbers_lost', uses, reason: String(error) });
    }
  }
}
