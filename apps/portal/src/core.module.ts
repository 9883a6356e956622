import { AuditLog, auditProvider } from '#libs/audit';
import { DatabaseModule } from '#libs/database';
import { processPresenceProvider } from '#libs/journal';
import { ListReads, listReadsProvider } from '#libs/list-reads';
import { serviceClientProvider, ServiceTokens } from '#libs/service-kit';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { schema } from './db/schema.js';
import { clientsOfServices, GATEWAY, ROUTER, SERVICE_CLIENTS } from './services.js';
import { type PortalSettings, SETTINGS } from './settings.js';

/** What every folder may inject: settings, database, audit log, clients of other services. */
@Global()
@Module({})
export class CoreModule {
  static with(settings: PortalSettings): DynamicModule {
    return {
      module: CoreModule,
      imports: [
        DatabaseModule.forService(schema, {
          url: settings.DATABASE_URL,
          poolSize: settings.DATABASE_POOL,
          applicationName: 'portal',
        }),
      ],
      providers: [
        { provide: SETTINGS, useValue: settings },
        processPresenceProvider('portal'),
        serviceClientProvider(GATEWAY, 'adapter-gateway', settings.GATEWAY_URL),
        serviceClientProvider(ROUTER, 'router', settings.ROUTER_URL),
        {
          provide: SERVICE_CLIENTS,
          useFactory: (tokens: ServiceTokens) => clientsOfServices(settings, tokens),
          inject: [ServiceTokens],
        },
        auditProvider('portal'),
        listReadsProvider(schema, 'portal', settings),
      ],
      exports: [SETTINGS, GATEWAY, ROUTER, SERVICE_CLIENTS, AuditLog, ListReads],
    };
  }
}
