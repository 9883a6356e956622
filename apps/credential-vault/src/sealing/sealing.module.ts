import { Module } from '@nestjs/common';
import { SETTINGS, type VaultSettings } from '../settings.js';
import { KEY_BACKEND } from './kek-ring.js';
import { KekSentinelRepository } from './kek-sentinel.repository.js';
import { DekCache, Sealer } from './sealer.js';
import { SentinelCheck } from './sentinel-check.js';

@Module({
  providers: [
    {
      provide: KEY_BACKEND,
      useFactory: ({ GATEHOUSE_KEK_RING: keys }: VaultSettings) => keys,
      inject: [SETTINGS],
    },
    {
      provide: Sealer,
      useFactory: ({ GATEHOUSE_KEK_RING: keys, DEK_CACHE_MS, DEK_CACHE_ENTRIES }: VaultSettings) =>
        new Sealer(keys, new DekCache(DEK_CACHE_MS, DEK_CACHE_ENTRIES)),
      inject: [SETTINGS],
    },
    KekSentinelRepository,
    SentinelCheck,
  ],
  exports: [KEY_BACKEND, KekSentinelRepository, Sealer],
})
export class SealingModule {}
