import { AuditController, AuditLog, auditProvider } from '#libs/audit';
import { ChangeListener, changeListenerProvider, DatabaseModule } from '#libs/database';
import { HeldProjects, heldProjectsProvider, Journal, journalProvider, processPresenceProvider } from '#libs/journal';
import { ListReads, listReadsProvider } from '#libs/list-reads';
import { ProjectLimits, ProjectLimitsController, projectLimitsProvider } from '#libs/project-limits';
import { serviceClientProvider } from '#libs/service-kit';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { schema } from './db/schema.js';
import { ENGINE, GATEWAY, INGRESS, type RouterSettings, SETTINGS } from './env.js';

/** What every folder may inject: settings, database, journal, other services. */
@Global()
@Module({})
export class CoreModule {
  static with(settings: RouterSettings): DynamicModule {
    return {
      module: CoreModule,
      imports: [
        DatabaseModule.forService(schema, {
          url: settings.DATABASE_URL,
          poolSize: settings.DATABASE_POOL,
          applicationName: 'router',
          provesLife: true,
        }),
      ],
      controllers: [AuditController, ProjectLimitsController],
      providers: [
        { provide: SETTINGS, useValue: settings },
        processPresenceProvider('router'),
        serviceClientProvider(ENGINE, 'engine', settings.ENGINE_URL),
        serviceClientProvider(GATEWAY, 'adapter-gateway', settings.GATEWAY_URL),
        serviceClientProvider(INGRESS, 'webhook-ingress', settings.INGRESS_URL),
        changeListenerProvider('router', settings, ['router']),
        auditProvider('router'),
        listReadsProvider(schema, 'router', settings),
        journalProvider('router'),
        heldProjectsProvider,
        projectLimitsProvider('router'),
      ],
      exports: [
        AuditLog,
        ListReads,
        SETTINGS,
        ENGINE,
        GATEWAY,
        INGRESS,
        ChangeListener,
        HeldProjects,
        Journal,
        ProjectLimits,
      ],
    };
  }
}
