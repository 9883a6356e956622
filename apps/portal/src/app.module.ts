import { AuditLog, auditProvider } from '#libs/audit';
import { DatabaseModule } from '#libs/database';
import { OperationsServer, ServiceTokens } from '#libs/service-kit';
import { type DynamicModule, Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiKeyController } from './api-keys/api-key.controller.js';
import { ApiKeyRepository } from './api-keys/api-key.repository.js';
import { ApiKeyService } from './api-keys/api-key.service.js';
import { authenticateRequests } from './authentication/authenticate-requests.js';
import { OpenRequests } from './authentication/open-requests.js';
import { Authenticator, KEY_CACHE_MS } from './authentication/authenticator.js';
import { FAILED_KEYS, FailedKeys, type FailedKeysSettings } from './authentication/failed-keys.js';
import { browserHeaders } from './browser/browser-headers.js';
import { AttentionController } from './attention/attention.controller.js';
import { AuditLogController } from './audit/audit-log.controller.js';
import { auditClients, AuditTrail } from './audit/audit-trail.js';
import { clientsOfServices, serviceClients } from './proxy/service-clients.js';
import { QueuesController } from './queues/queues.controller.js';
import { schema } from './db/schema.js';
import { ApiDescription, UPSTREAM_URLS } from './documentation/api-description.js';
import { DocumentationController } from './documentation/documentation.controller.js';
import { ServicesHealth } from './documentation/services-health.js';
import { OrganizationController } from './organizations/organization.controller.js';
import { OrganizationRepository } from './organizations/organization.repository.js';
import { ProjectController } from './projects/project.controller.js';
import { ProjectRepository } from './projects/project.repository.js';
import { proxyRoutes, type ProxySettings } from './proxy/proxy-routes.js';

export interface PortalSettings extends ProxySettings, FailedKeysSettings {
  DATABASE_URL: string;
  DATABASE_POOL: number;
  KEY_CACHE_MS: number;
}

@Module({})
export class AppModule {
  static with(settings: PortalSettings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        DatabaseModule.forService(schema, {
          url: settings.DATABASE_URL,
          poolSize: settings.DATABASE_POOL,
          applicationName: 'portal',
        }),
      ],
      controllers: [
        ApiKeyController,
        AttentionController,
        AuditLogController,
        QueuesController,
        OrganizationController,
        ProjectController,
        DocumentationController,
      ],
      providers: [
        { provide: KEY_CACHE_MS, useValue: settings.KEY_CACHE_MS },
        { provide: UPSTREAM_URLS, useValue: settings },
        { provide: FAILED_KEYS, useValue: settings },
        FailedKeys,
        Authenticator,
        OpenRequests,
        auditProvider('portal'),
        {
          provide: AuditTrail,
          useFactory: (own: AuditLog, tokens: ServiceTokens) => new AuditTrail(own, auditClients(settings, tokens)),
          inject: [AuditLog, ServiceTokens],
        },
        {
          provide: serviceClients,
          useFactory: (tokens: ServiceTokens) => clientsOfServices(settings, tokens),
          inject: [ServiceTokens],
        },
        ApiKeyRepository,
        ApiKeyService,
        OrganizationRepository,
        ProjectRepository,
        ApiDescription,
        ServicesHealth,
      ],
    };
  }
}

/** What stands before Nest's own routes: authentication, then the proxies. For operators the services' states. */
export function portalRoutes(settings: PortalSettings): (app: NestFastifyApplication) => void {
  return (app) => {
    const health = app.get(ServicesHealth, { strict: false });
    app.get(OperationsServer).http.get('/services', async () => ({ services: await health.read() }));
    browserHeaders(app.getHttpAdapter().getInstance());
    authenticateRequests(app);
    proxyRoutes(app, settings);
  };
}
