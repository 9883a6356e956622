import { AuditController, auditProvider } from '#libs/audit';
import { DatabaseModule } from '#libs/database';
import { createEgress } from '#libs/egress';
import { type Audience, ServiceClient, ServiceTokens } from '#libs/service-kit';
import { type DynamicModule, type FactoryProvider, Module } from '@nestjs/common';
import { ToolCallRepository } from './calls/tool-call.repository.js';
import { ToolCallController } from './calls/tool-call.controller.js';
import { ToolCallService } from './calls/tool-call.service.js';
import { ToolTryController } from './tries/tool-try.controller.js';
import { ToolTryService } from './tries/tool-try.service.js';
import { CredentialBindings } from './credentials/credential-bindings.js';
import { ServerCredentials } from './credentials/server-credentials.js';
import { AttentionController } from './attention/attention.controller.js';
import { AttentionRepository } from './attention/attention.repository.js';
import { schema } from './db/schema.js';
import { DiscoveryHandler } from './discovery/discovery.handler.js';
import { DiscoveryRepository } from './discovery/discovery.repository.js';
import { DiscoveryService } from './discovery/discovery.service.js';
import { Connections } from './mcp/connections.js';
import { OauthController } from './oauth/oauth.controller.js';
import { OauthRegistration } from './oauth/oauth-registration.service.js';
import { VaultCredentials } from './credentials/vault-credentials.js';
import { AgentUsage } from './agents/agent-usage.js';
import { Registration } from './servers/registration.service.js';
import { ServerController } from './servers/server.controller.js';
import { ServerRepository } from './servers/server.repository.js';
import { ServerService } from './servers/server.service.js';
import { EGRESS, ENGINE, PYTHON_RUNNER, TRIES, VAULT } from './services.js';
import { type RegistrySettings, SETTINGS } from './settings.js';
import { ManifestSkillService } from './skills/manifest-skill.service.js';
import { SkillFolderService } from './skills/skill-folder.service.js';
import { ManifestSkillController } from './skills/manifest-skill.controller.js';
import { SkillController } from './skills/skill.controller.js';
import { SkillRepository } from './skills/skill.repository.js';
import { SkillService } from './skills/skill.service.js';
import { PythonToolService } from './tools/python-tool.service.js';
import { ToolController } from './tools/tool.controller.js';
import { ToolRepository } from './tools/tool.repository.js';
import { ToolService } from './tools/tool.service.js';
import { EffectService } from './tools/effect.service.js';
import { ToolsetServerRepository } from './toolsets/toolset-server.repository.js';
import { ToolsetController } from './toolsets/toolset.controller.js';
import { ToolsetService } from './toolsets/toolset.service.js';

@Module({})
export class AppModule {
  static with(settings: RegistrySettings): DynamicModule {
    const client = (token: symbol, audience: Audience, url: string, timeoutMs?: number): FactoryProvider => ({
      provide: token,
      useFactory: (tokens: ServiceTokens) => new ServiceClient(audience, url, tokens, timeoutMs),
      inject: [ServiceTokens],
    });
    return {
      module: AppModule,
      imports: [
        DatabaseModule.forService(schema, {
          url: settings.DATABASE_URL,
          poolSize: settings.DATABASE_POOL,
          applicationName: 'mcp-registry',
        }),
      ],
      controllers: [
        AttentionController,
        AuditController,
        DiscoveryHandler,
        ManifestSkillController,
        OauthController,
        ServerController,
        SkillController,
        ToolCallController,
        ToolController,
        ToolTryController,
        ToolsetController,
      ],
      providers: [
        AttentionRepository,
        { provide: SETTINGS, useValue: settings },
        { provide: EGRESS, useFactory: () => createEgress({ allow: settings.GATEHOUSE_EGRESS_ALLOW }) },
        client(VAULT, 'credential-vault', settings.VAULT_URL),
        client(ENGINE, 'engine', settings.ENGINE_URL),
        client(TRIES, 'engine', settings.ENGINE_URL, settings.TRY_TIMEOUT_MS),
        client(PYTHON_RUNNER, 'python-runner', settings.PYTHON_RUNNER_URL, settings.COMPILE_TIMEOUT_MS),
        auditProvider('registry'),
        AgentUsage,
        Connections,
        CredentialBindings,
        DiscoveryRepository,
        DiscoveryService,
        EffectService,
        ManifestSkillService,
        OauthRegistration,
        PythonToolService,
        Registration,
        ServerCredentials,
        ServerRepository,
        ServerService,
        SkillFolderService,
        SkillRepository,
        SkillService,
        ToolCallRepository,
        ToolCallService,
        ToolRepository,
        ToolTryService,
        ToolService,
        ToolsetServerRepository,
        ToolsetService,
        VaultCredentials,
      ],
    };
  }
}
