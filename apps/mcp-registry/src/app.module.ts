import { AuditController, auditProvider } from '#libs/audit';
import { DatabaseModule } from '#libs/database';
import { createEgress } from '#libs/egress';
import { type Audience, ServiceClient, ServiceTokens } from '#libs/service-kit';
import { type DynamicModule, type FactoryProvider, Module } from '@nestjs/common';
import { ToolCallRepository } from './calls/tool-call.repository.js';
import { ToolCallsController } from './calls/tool-calls.controller.js';
import { ToolCalls } from './calls/tool-calls.service.js';
import { ToolTries, TRIES } from './calls/tool-tries.service.js';
import { CredentialBindings } from './credentials/credential-bindings.js';
import { ServerCredentials, VAULT } from './credentials/server-credentials.js';
import { AttentionController } from './attention/attention.controller.js';
import { AttentionRepository } from './attention/attention.repository.js';
import { schema } from './db/schema.js';
import { DiscoveryHandler } from './discovery/discovery.handler.js';
import { DiscoveryRepository } from './discovery/discovery.repository.js';
import { DiscoveryService } from './discovery/discovery.service.js';
import { Connections, EGRESS } from './mcp/connections.js';
import { OauthController } from './oauth/oauth.controller.js';
import { OauthRegistration } from './oauth/oauth-registration.service.js';
import { VaultCredentials } from './oauth/vault-credentials.js';
import { AgentUsage, ENGINE } from './servers/agent-usage.js';
import { Registration } from './servers/registration.service.js';
import { ServerController } from './servers/server.controller.js';
import { ServerRepository } from './servers/server.repository.js';
import { ServerService } from './servers/server.service.js';
import { type RegistrySettings, SETTINGS } from './settings.js';
import { ManifestSkills } from './skills/manifest-skills.service.js';
import { SkillFolders } from './skills/skill-folder.service.js';
import { ManifestSkillsController } from './skills/manifest-skills.controller.js';
import { SkillController } from './skills/skill.controller.js';
import { SkillRepository } from './skills/skill.repository.js';
import { SkillService } from './skills/skill.service.js';
import { PYTHON_RUNNER, PythonTools } from './tools/python-tools.service.js';
import { ToolController } from './tools/tool.controller.js';
import { ToolRepository } from './tools/tool.repository.js';
import { ToolService } from './tools/tool.service.js';
import { Effects } from './toolsets/effects.service.js';
import { ToolsetServers } from './toolsets/toolset-servers.repository.js';
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
        ManifestSkillsController,
        OauthController,
        ServerController,
        SkillController,
        ToolCallsController,
        ToolController,
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
        Effects,
        ManifestSkills,
        OauthRegistration,
        PythonTools,
        Registration,
        ServerCredentials,
        ServerRepository,
        ServerService,
        SkillFolders,
        SkillRepository,
        SkillService,
        ToolCallRepository,
        ToolCalls,
        ToolRepository,
        ToolTries,
        ToolService,
        ToolsetServers,
        ToolsetService,
        VaultCredentials,
      ],
    };
  }
}
