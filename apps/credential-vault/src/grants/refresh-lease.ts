import { JobClient } from '#libs/queue';
import { Inject, Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { SETTINGS, type VaultSettings } from '../settings.js';

export interface RefreshLease {
  release(): Promise<void>;
}

const renewIfMine = "return redis.call('get', KEYS[1]) == ARGV[1] and redis.call('pexpire', KEYS[1], ARGV[2]) or 0";
const deleteIfMine = "return redis.call('get', KEYS[1]) == ARGV[1] and redis.call('del', KEYS[1]) or 0";

/**
 * Keeps processes from asking Postgres for the same grant all at once. The intent row in Postgres is what guards the
 * grant. So a lost lease or an unavailable Redis costs a few statements, never a second token request.
 */
@Injectable()
export class RefreshLeases {
  private readonly redis: Redis;

  constructor(
    jobs: JobClient,
    @Inject(SETTINGS) private readonly settings: VaultSettings,
  ) {
    this.redis = jobs.unwrap<Redis>();
  }

  /** @returns `held` while another process has it, null when Redis does not answer */
  async take(credentialId: string): Promise<RefreshLease | 'held' | null> {
    // Among the queue's keys, since the vault's Redis user may access no others.
    const key = `{gatehouse:q:refresh}:lease:${credentialId}`;
    const owner = randomUUID();
    const leaseMs = this.settings.REFRESH_LEASE_MS;
    try {
      if ((await this.redis.set(key, owner, 'PX', leaseMs, 'NX')) !== 'OK') return 'held';
    } catch {
      return null;
    }
    const renewal = setInterval(() => {
      this.redis.eval(renewIfMine, 1, key, owner, leaseMs).catch(() => undefined);
    }, leaseMs / 3);
    return {
      release: async () => {
        clearInterval(renewal);
        await this.redis.eval(deleteIfMine, 1, key, owner).catch(() => undefined);
      },
    };
  }
}
