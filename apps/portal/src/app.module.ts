import { AuditLog, auditProvider } from '#libs/audit';
import { DatabaseModule } from '#libs/database';
import { OperationsServer, ServiceClient, ServiceTokens } from '#libs/service-kit';
import { type DynamicModule, Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiKeyController } from './api-keys/api-key.controller.js';
import { ApiKeyRepository } from './api-keys/api-key.repository.js';
import { ApiKeyService } from './api-keys/api-key.service.js';
import { authenticateRequests } from './authentication/authenticate-requests.js';
import { OpenRequests } from './authentication/open-requests.js';
import { KeyAuthenticator } from './authentication/key-authenticator.js';
import { ProjectReach } from './authentication/project-reach.js';
import { SessionAuthenticator } from './authentication/session-authenticator.js';
import { FailedKeys } from './authentication/failed-keys.js';
import { FirstTenantRepository } from './bootstrap/first-tenant.repository.js';
import { browserHeaders } from './browser/browser-headers.js';
import { AttentionController } from './attention/attention.controller.js';
import { ActorNameRepository } from './audit/actor-name.repository.js';
import { AuditLogController } from './audit/audit-log.controller.js';
import { auditClients, AuditTrail } from './audit/audit-trail.js';
import { consoleRoutes } from './console/console-routes.js';
import { clientsOfServices, GATEWAY, SERVICE_CLIENTS } from './services.js';
import { QueueController } from './queues/queue.controller.js';
import { schema } from './db/schema.js';
import { DiagnosticsController } from './diagnostics/diagnostics.controller.js';
import { DiagnosticsService } from './diagnostics/diagnostics.service.js';
import { ApiDescription } from './documentation/api-description.js';
import { DocumentationController } from './documentation/documentation.controller.js';
import { ServicesHealth } from './documentation/services-health.js';
import { MemberController } from './members/member.controller.js';
import { MemberRepository } from './members/member.repository.js';
import { MemberService } from './members/member.service.js';
import { RoleController } from './members/role.controller.js';
import { OrganizationController } from './organizations/organization.controller.js';
import { OrganizationRepository } from './organizations/organization.repository.js';
import { ProjectController } from './projects/project.controller.js';
import { ProjectRepository } from './projects/project.repository.js';
import { proxyRoutes } from './proxy/proxy-routes.js';
import { MemberSessionController } from './sessions/member-session.controller.js';
import { MemberSessionRepository } from './sessions/member-session.repository.js';
import { SessionController } from './sessions/session.controller.js';
import { SessionService } from './sessions/session.service.js';
import { type PortalSettings, SETTINGS } from './settings.js';
import { SignInAttempts } from './sign-in/sign-in-attempts.js';
import { SignInController } from './sign-in/sign-in.controller.js';
import { SignInLinkRepository } from './members/sign-in-link.repository.js';
import { SignInService } from './sign-in/sign-in.service.js';
import { Issuer } from './sign-in/single-sign-on/issuer.js';
import { SingleSignOnController } from './sign-in/single-sign-on/single-sign-on.controller.js';
import { SingleSignOnRepository } from './sign-in/single-sign-on/single-sign-on.repository.js';
import { SingleSignOnService } from './sign-in/single-sign-on/single-sign-on.service.js';
import { StartedSessionRepository } from './sign-in/started-session.repository.js';

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
        DiagnosticsController,
        QueueController,
        OrganizationController,
        ProjectController,
        MemberController,
        RoleController,
        SignInController,
        SingleSignOnController,
        SessionController,
        MemberSessionController,
        DocumentationController,
      ],
      providers: [
        { provide: SETTINGS, useValue: settings },
        FailedKeys,
        ProjectReach,
        KeyAuthenticator,
        SessionAuthenticator,
        OpenRequests,
        auditProvider('portal'),
        ActorNameRepository,
        {
          provide: AuditTrail,
          useFactory: (own: AuditLog, tokens: ServiceTokens, names: ActorNameRepository) =>
            new AuditTrail(own, auditClients(settings, tokens), names),
          inject: [AuditLog, ServiceTokens, ActorNameRepository],
        },
        {
          provide: SERVICE_CLIENTS,
          useFactory: (tokens: ServiceTokens) => clientsOfServices(settings, tokens),
          inject: [ServiceTokens],
        },
        FirstTenantRepository,
        {
          provide: GATEWAY,
          useFactory: (tokens: ServiceTokens) => new ServiceClient('adapter-gateway', settings.GATEWAY_URL, tokens),
          inject: [ServiceTokens],
        },
        ApiKeyRepository,
        ApiKeyService,
        OrganizationRepository,
        ProjectRepository,
        MemberRepository,
        MemberService,
        SignInLinkRepository,
        SignInAttempts,
        StartedSessionRepository,
        SignInService,
        Issuer,
        SingleSignOnRepository,
        SingleSignOnService,
        MemberSessionRepository,
        SessionService,
        DiagnosticsService,
        ApiDescription,
        ServicesHealth,
      ],
    };
  }
}

/** What stands before Nest's own routes: authentication, then the proxies and the console. For operators the services' states. */
export function portalRoutes(settings: PortalSettings): (app: NestFastifyApplication) => void {
  return (app) => {
    const health = app.get(ServicesHealth, { strict: false });
    app.get(OperationsServer).http.get('/services', async () => ({ services: await health.read() }));
    browserHeaders(app.getHttpAdapter().getInstance());
    authenticateRequests(app);
    proxyRoutes(app, settings);
    consoleRoutes(app.getHttpAdapter().getInstance(), settings.CONSOLE_DIR, settings.PUBLIC_URL);
  };
}
