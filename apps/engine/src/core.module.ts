import { AuditController, AuditLog, auditProvider } from '#libs/audit';
import { ChangeListener, changeListenerProvider, DatabaseModule } from '#libs/database';
import { createEgress } from '#libs/egress';
import { Journal, journalProvider, processPresenceProvider } from '#libs/journal';
import { ListReads, listReadsProvider } from '#libs/list-reads';
import { ProjectLimits, ProjectLimitsController, projectLimitsProvider } from '#libs/project-limits';
import { ServiceClient, serviceClientProvider } from '#libs/service-kit';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { schema } from './db/schema.js';
import { isUnreported } from './entities/turn.entity.js';
import { EGRESS, type EngineSettings, GATEWAY, PYTHON_RUNNER, REGISTRY, SETTINGS, VAULT } from './settings.js';

/** On top of the call's own time-out, so that the other side can end the call and report it, unless it is dead. */
const graceMs = 5_000;

/** What every folder may inject: settings, database, journal, clients of other services. */
@Global()
@Module({})
export class CoreModule {
  static with(settings: EngineSettings): DynamicModule {
    const toolTimeoutMs = settings.TOOL_TIMEOUT_MS + graceMs;
    return {
      module: CoreModule,
      imports: [
        DatabaseModule.forService(schema, {
          url: settings.DATABASE_URL,
          poolSize: settings.DATABASE_POOL,
          applicationName: 'engine',
          provesLife: true,
        }),
      ],
      controllers: [AuditController, ProjectLimitsController],
      providers: [
        { provide: SETTINGS, useValue: settings },
        processPresenceProvider('engine'),
        { provide: EGRESS, useFactory: () => createEgress({ allow: settings.GATEHOUSE_EGRESS_ALLOW }) },
        serviceClientProvider(ServiceClient, 'router', settings.ROUTER_URL),
        serviceClientProvider(VAULT, 'credential-vault', settings.VAULT_URL),
        serviceClientProvider(GATEWAY, 'adapter-gateway', settings.GATEWAY_URL, toolTimeoutMs),
        serviceClientProvider(REGISTRY, 'mcp-registry', settings.MCP_REGISTRY_URL, toolTimeoutMs),
        serviceClientProvider(PYTHON_RUNNER, 'python-runner', settings.PYTHON_RUNNER_URL, toolTimeoutMs),
        auditProvider('engine'),
        listReadsProvider(schema, 'engine', settings),
        changeListenerProvider('engine', settings, ['engine', 'vault']),
        journalProvider('engine', isUnreported),
        projectLimitsProvider('engine'),
      ],
      exports: [
        SETTINGS,
        EGRESS,
        ServiceClient,
        VAULT,
        GATEWAY,
        REGISTRY,
        PYTHON_RUNNER,
        AuditLog,
        ListReads,
        ChangeListener,
        Journal,
        ProjectLimits,
      ],
    };
  }
}
