import { type DynamicModule, Module } from '@nestjs/common';
import { AlertsModule } from './alerts/alerts.module.js';
import { ApiKeysModule } from './api-keys/api-keys.module.js';
import { AttentionModule } from './attention/attention.module.js';
import { AuditModule } from './audit/audit.module.js';
import { AuthenticationModule } from './authentication/authentication.module.js';
import { BootstrapModule } from './bootstrap/bootstrap.module.js';
import { CoreModule } from './core.module.js';
import { DiagnosticsModule } from './diagnostics/diagnostics.module.js';
import { DocumentationModule } from './documentation/documentation.module.js';
import { MembersModule } from './members/members.module.js';
import { MovesModule } from './moves/moves.module.js';
import { OperationsMcpModule } from './operations-mcp/operations-mcp.module.js';
import { OrganizationsModule } from './organizations/organizations.module.js';
import { ProjectsModule } from './projects/projects.module.js';
import { QueuesModule } from './queues/queues.module.js';
import { SessionsModule } from './sessions/sessions.module.js';
import type { PortalSettings } from './settings.js';
import { TemplatesModule } from './templates/templates.module.js';
import { ViewsModule } from './views/views.module.js';
import { SignInModule } from './sign-in/sign-in.module.js';

@Module({})
export class AppModule {
  static with(settings: PortalSettings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        CoreModule.with(settings),
        // The API description lists the controllers in this order.
        AlertsModule,
        ApiKeysModule,
        AttentionModule,
        AuditModule,
        DiagnosticsModule,
        QueuesModule,
        TemplatesModule,
        ViewsModule,
        OrganizationsModule,
        ProjectsModule,
        MovesModule,
        MembersModule,
        SignInModule,
        SessionsModule,
        DocumentationModule,
        OperationsMcpModule,
        AuthenticationModule,
        BootstrapModule,
      ],
    };
  }
}
