import type { ServiceSchema } from '#libs/database';
import { Audit } from '../audit/audit.entity.js';
import { ToolCall } from '../calls/tool-call.entity.js';
import { McpSession } from '../mcp/mcp-session.entity.js';
import { McpServer } from '../servers/mcp-server.entity.js';
import { SkillCredential } from '../skills/skill-credential.entity.js';
import { SkillTool } from '../skills/skill-tool.entity.js';
import { SkillVersion } from '../skills/skill-version.entity.js';
import { Skill } from '../skills/skill.entity.js';
import { ToolVersion } from '../tools/tool-version.entity.js';
import { Tool } from '../tools/tool.entity.js';
import { Registry1770000000000 } from './1770000000000-registry.js';
import { McpSession1795691361622 } from './1795691361622-mcp-session.js';

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
  migrations: [Registry1770000000000, McpSession1795691361622],
};
