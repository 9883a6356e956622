import type { ServiceSchema } from '#libs/database';
import { Audit } from '../audit/audit.entity.js';
import { ToolCall } from '../calls/tool-call.entity.js';
import { McpSession } from '../entities/mcp-session.entity.js';
import { McpServer } from '../entities/mcp-server.entity.js';
import { SkillCredential } from '../entities/skill-credential.entity.js';
import { SkillTool } from '../entities/skill-tool.entity.js';
import { SkillVersion } from '../entities/skill-version.entity.js';
import { Skill } from '../entities/skill.entity.js';
import { Tool, ToolVersion } from '../tools/tool.entity.js';
import { Registry1770000000000 } from './1770000000000-registry.js';
import { McpSession1795691361622 } from './1795691361622-mcp-session.js';
import { McpListingTtl1795903000225 } from './1795903000225-mcp-listing-ttl.js';

export const schema: ServiceSchema = {
  name: 'registry',
  entities: [
    McpServer,
    McpSession,
    Skill,
    SkillCredential,
    SkillTool,
    SkillVersion,
    Tool,
    ToolCall,
    ToolVersion,
    Audit,
  ],
  migrations: [Registry1770000000000, McpSession1795691361622, McpListingTtl1795903000225],
};
