import { ChangeListener, changeListenerProvider, DatabaseModule } from '#libs/database';
import { createEgress } from '#libs/egress';
import { processPresenceProvider } from '#libs/journal';
import { serviceClientProvider } from '#libs/service-kit';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { schema } from './db/schema.js';
import { EGRESS, GATEWAY } from './services.js';
import { SETTINGS, type VaultSettings } from './settings.js';

/** What every folder may inject: settings, database, the gateway, egress. */
@Global()
@Module({})
export class CoreModule {
  static with(settings: VaultSettings): DynamicModule {
    return {
      module: CoreModule,
      imports: [
        DatabaseModule.forService(schema, {
          url: settings.DATABASE_URL,
          poolSize: settings.DATABASE_POOL,
          applicationName: 'credential-vault',
        }),
      ],
      providers: [
        { provide: SETTINGS, useValue: settings },
        processPresenceProvider('credential-vault'),
        {
          provide: EGRESS,
          // The gate limits what is in flight. Waiting for a free socket would use up a token request's time.
          useFactory: () => createEgress({ allow: settings.GATEHOUSE_EGRESS_ALLOW, timeouts: { connectMs: 5_000 } }),
        },
        serviceClientProvider(GATEWAY, 'adapter-gateway', settings.GATEWAY_URL, settings.VERIFY_TIMEOUT_MS),
        changeListenerProvider('credential-vault', settings, ['vault']),
      ],
      exports: [SETTINGS, EGRESS, GATEWAY, ChangeListener],
    };
  }
}
