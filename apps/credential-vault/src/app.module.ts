import { DatabaseModule } from '#libs/database';
import { type DynamicModule, Module } from '@nestjs/common';
import { CredentialOpener } from './credentials/credential-opener.js';
import { CredentialController } from './credentials/credential.controller.js';
import { CredentialRepository } from './credentials/credential.repository.js';
import { CredentialService } from './credentials/credential.service.js';
import { ResolveController } from './credentials/resolve.controller.js';
import { ResolveService } from './credentials/resolve.service.js';
import { schema } from './db/schema.js';
import { DekCache } from './sealing/dek-cache.js';
import { KEY_BACKEND, type KeyBackend } from './sealing/kek-ring.js';
import { KekSentinelRepository } from './sealing/kek-sentinel.repository.js';
import { Sealer } from './sealing/sealer.js';
import { SentinelCheck } from './sealing/sentinel-check.js';

export interface VaultSettings {
  DATABASE_URL: string;
  DATABASE_POOL: number;
  GATEHOUSE_KEK_RING: KeyBackend;
  DEK_CACHE_MS: number;
  DEK_CACHE_ENTRIES: number;
}

@Module({})
export class AppModule {
  static with(settings: VaultSettings): DynamicModule {
    const keys = settings.GATEHOUSE_KEK_RING;
    const deks = new DekCache(settings.DEK_CACHE_MS, settings.DEK_CACHE_ENTRIES);
    return {
      module: AppModule,
      imports: [
        DatabaseModule.forService(schema, {
          url: settings.DATABASE_URL,
          poolSize: settings.DATABASE_POOL,
          applicationName: 'credential-vault',
        }),
      ],
      controllers: [CredentialController, ResolveController],
      providers: [
        { provide: KEY_BACKEND, useValue: keys },
        { provide: Sealer, useValue: new Sealer(keys, deks) },
        KekSentinelRepository,
        SentinelCheck,
        CredentialRepository,
        CredentialOpener,
        CredentialService,
        ResolveService,
      ],
    };
  }
}
