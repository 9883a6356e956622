import { ChangeListener, changeListenerProvider, DatabaseModule } from '#libs/database';
import { HeldProjects, heldProjectsProvider, Journal, journalProvider, processPresenceProvider } from '#libs/journal';
import { ProjectLimits, ProjectLimitsController, projectLimitsProvider } from '#libs/project-limits';
import { serviceClientProvider } from '#libs/service-kit';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { schema } from './db/schema.js';
import { GATEWAY, type IngressSettings, ROUTER, SETTINGS, VAULT } from './env.js';

/** An adapter that answers a handshake is waited for through the gateway. */
const gatewayTimeoutMs = ({ HANDSHAKE_TIMEOUT_MS: handshakeMs }: IngressSettings): number =>
  Math.max(5_000, handshakeMs);

/** What every folder may inject: settings, database, journal, other services. */
@Global()
@Module({})
export class CoreModule {
  static with(settings: IngressSettings): DynamicModule {
    return {
      module: CoreModule,
      imports: [
        DatabaseModule.forService(schema, {
          url: settings.DATABASE_URL,
          poolSize: settings.DATABASE_POOL,
          applicationName: 'webhook-ingress',
          provesLife: true,
        }),
      ],
      controllers: [ProjectLimitsController],
      providers: [
        { provide: SETTINGS, useValue: settings },
        processPresenceProvider('webhook-ingress'),
        serviceClientProvider(GATEWAY, 'adapter-gateway', settings.GATEWAY_URL, gatewayTimeoutMs(settings)),
        serviceClientProvider(ROUTER, 'router', settings.ROUTER_URL),
        serviceClientProvider(VAULT, 'credential-vault', settings.VAULT_URL),
        changeListenerProvider('webhook-ingress', settings, ['gateway', 'vault']),
        journalProvider('webhook-ingress'),
        heldProjectsProvider,
        projectLimitsProvider('ingress'),
      ],
      exports: [SETTINGS, GATEWAY, ROUTER, VAULT, ChangeListener, HeldProjects, Journal, ProjectLimits],
    };
  }
}
