import { AuditController, AuditLog, auditProvider } from '#libs/audit';
import { ChangeListener, changeListenerProvider, DatabaseModule } from '#libs/database';
import { createEgress } from '#libs/egress';
import { processPresenceProvider } from '#libs/journal';
import { ListReads, listReadsProvider } from '#libs/list-reads';
import { serviceClientProvider } from '#libs/service-kit';
import { ProjectRowsController, projectRowsProvider } from '#libs/project-rows';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { movedRows } from './db/moved-rows.js';
import { schema } from './db/schema.js';
import { EGRESS, ENGINE, PYTHON_RUNNER, TRIES, VAULT } from './services.js';
import { type RegistrySettings, SETTINGS } from './settings.js';

/** What every folder may inject: settings, database, audit log, clients of other services. */
@Global()
@Module({})
export class CoreModule {
  static with(settings: RegistrySettings): DynamicModule {
    return {
      module: CoreModule,
      imports: [
        DatabaseModule.forService(schema, {
          url: settings.DATABASE_URL,
          poolSize: settings.DATABASE_POOL,
          applicationName: 'mcp-registry',
        }),
      ],
      controllers: [AuditController, ProjectRowsController],
      providers: [
        { provide: SETTINGS, useValue: settings },
        processPresenceProvider('mcp-registry'),
        { provide: EGRESS, useFactory: () => createEgress({ allow: settings.GATEHOUSE_EGRESS_ALLOW }) },
        serviceClientProvider(ENGINE, 'engine', settings.ENGINE_URL),
        serviceClientProvider(TRIES, 'engine', settings.ENGINE_URL, settings.TRY_TIMEOUT_MS),
        serviceClientProvider(PYTHON_RUNNER, 'python-runner', settings.PYTHON_RUNNER_URL, settings.COMPILE_TIMEOUT_MS),
        serviceClientProvider(VAULT, 'credential-vault', settings.VAULT_URL),
        auditProvider('registry'),
        listReadsProvider(schema, 'mcp-registry', settings),
        projectRowsProvider(movedRows),
        changeListenerProvider('mcp-registry', settings, ['vault']),
      ],
      exports: [SETTINGS, EGRESS, ENGINE, TRIES, PYTHON_RUNNER, VAULT, AuditLog, ListReads, ChangeListener],
    };
  }
}
