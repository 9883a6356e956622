import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DoesNotOpen } from './aead.js';
import { associatedData } from './associated-data.js';
import { KEY_BACKEND, type KeyBackend } from './kek-ring.js';
import { KekSentinelRepository } from './kek-sentinel.repository.js';

const known = Buffer.from('gatehouse-vault-sentinel');

/** Refuses to boot when a key is missing, or is not the one that had this name before. */
@Injectable()
export class SentinelCheck implements OnModuleInit {
  constructor(
    @Inject(KEY_BACKEND) private readonly keys: KeyBackend,
    private readonly sentinels: KekSentinelRepository,
  ) {}

  /** @throws Error that says which key is wrong and what to do */
  async onModuleInit(): Promise<void> {
    const missing = [...(await this.sentinels.countByKid()).keys()].filter((kid) => !this.keys.kids.includes(kid));
    if (missing.length > 0) {
      throw new Error(`Credentials are sealed with the KEK ${missing.join(', ')}: add it to GATEHOUSE_KEK_RING.`);
    }
    for (const kid of this.keys.kids) await this.check(kid);
  }

  private async check(kid: string): Promise<void> {
    const aad = associatedData(['vault-sentinel', 'v1', kid]);
    const kept = await this.sentinels.keepFirst(kid, await this.keys.wrap(kid, known, aad));
    try {
      await this.keys.unwrap(kid, kept, aad);
    } catch (error) {
      if (!(error instanceof DoesNotOpen)) throw error;
      throw new Error(
        `The KEK ${kid} is not the key that this database was sealed with under this name: restore that key in GATEHOUSE_KEK_RING.`,
      );
    }
  }
}
