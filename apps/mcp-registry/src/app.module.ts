import { type DynamicModule, Module } from '@nestjs/common';
import { AgentsModule } from './agents/agents.module.js';
import { AttentionModule } from './attention/attention.module.js';
import { CallsModule } from './calls/calls.module.js';
import { CoreModule } from './core.module.js';
import { CredentialsModule } from './credentials/credentials.module.js';
import { DiscoveryModule } from './discovery/discovery.module.js';
import { McpModule } from './mcp/mcp.module.js';
import { OauthModule } from './oauth/oauth.module.js';
import { ServersModule } from './servers/servers.module.js';
import type { RegistrySettings } from './settings.js';
import { SkillsModule } from './skills/skills.module.js';
import { ToolsModule } from './tools/tools.module.js';
import { ToolsetsModule } from './toolsets/toolsets.module.js';
import { TriesModule } from './tries/tries.module.js';

@Module({})
export class AppModule {
  static with(settings: RegistrySettings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        CoreModule.with(settings),
        // The API description lists the controllers in this order.
        AttentionModule,
        DiscoveryModule,
        OauthModule,
        ServersModule,
        SkillsModule,
        CallsModule,
        ToolsModule,
        TriesModule,
        ToolsetsModule,
        AgentsModule,
        CredentialsModule,
        McpModule,
      ],
    };
  }
}
