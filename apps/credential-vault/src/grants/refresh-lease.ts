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
 * Keeps processes from asking Postgres for the same grant all at once. It guards nothing: the intent row in Postgres does,
 * so a lease that was lost, or a Redis that is away, costs a few statements and never a second token request.
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
    // Among the keys of the queue: the vault's user in Redis reaches no others.
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
