import { AuditController, AuditLog, auditProvider } from '#libs/audit';
import { ChangeListener, changeListenerProvider, DatabaseModule } from '#libs/database';
import { createEgress } from '#libs/egress';
import { HeldProjects, heldProjectsProvider, Journal, journalProvider, processPresenceProvider } from '#libs/journal';
import { ListReads, listReadsProvider } from '#libs/list-reads';
import { ProjectLimits, ProjectLimitsController, projectLimitsProvider } from '#libs/project-limits';
import { serviceClientProvider } from '#libs/service-kit';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { schema } from './db/schema.js';
import { EGRESS, ENGINE, type GatewaySettings, INGRESS, REGISTRY, SETTINGS, VAULT } from './env.js';

/** What every folder may inject: settings, database, journal, other services. */
@Global()
@Module({})
export class CoreModule {
  static with(settings: GatewaySettings): DynamicModule {
    return {
      module: CoreModule,
      imports: [
        DatabaseModule.forService(schema, {
          url: settings.DATABASE_URL,
          poolSize: settings.DATABASE_POOL,
          applicationName: 'adapter-gateway',
          provesLife: true,
        }),
      ],
      controllers: [AuditController, ProjectLimitsController],
      providers: [
        { provide: SETTINGS, useValue: settings },
        processPresenceProvider('adapter-gateway'),
        {
          provide: EGRESS,
          useFactory: () =>
            createEgress({
              allow: settings.GATEHOUSE_EGRESS_ALLOW,
              connectionsPerOrigin: settings.ADAPTER_CONNECTIONS,
            }),
        },
        serviceClientProvider(ENGINE, 'engine', settings.ENGINE_URL),
        serviceClientProvider(INGRESS, 'webhook-ingress', settings.INGRESS_URL),
        serviceClientProvider(REGISTRY, 'mcp-registry', settings.MCP_REGISTRY_URL),
        serviceClientProvider(VAULT, 'credential-vault', settings.VAULT_URL),
        auditProvider('gateway'),
        listReadsProvider(schema, 'adapter-gateway', settings),
        changeListenerProvider('adapter-gateway', settings, ['gateway', 'vault']),
        journalProvider('adapter-gateway'),
        heldProjectsProvider,
        projectLimitsProvider('gateway'),
      ],
      exports: [
        SETTINGS,
        EGRESS,
        ENGINE,
        INGRESS,
        REGISTRY,
        VAULT,
        AuditLog,
        ListReads,
        ChangeListener,
        HeldProjects,
        Journal,
        ProjectLimits,
      ],
    };
  }
}
