import type { McpCallWaits, AttentionItem } from '#libs/contracts';
import type { Toolset } from '#libs/contracts';
import type { CallOfToolPage } from '../calls/tool-call.dto.js';
import type { RegisteredByOauth } from '../oauth/oauth.dto.js';
import type { ServerPage, ServerView } from '../servers/mcp-server.dto.js';
import type { ImportedSkill, SkillDetail, SkillFolder, SkillPage, SkillVersionList } from '../skills/skill.dto.js';
import type { ToolRehearsalView } from '../tries/tool-rehearsal.dto.js';
import type {
  ToolChangeView,
  ToolDifference,
  ToolPage,
  ToolVersionList,
  ToolView,
  TryAnswer,
} from '../tools/tool.dto.js';

/** The parts of these answers that the tests read. */
interface CallAnswer {
  images?: { media_type: string; data: string }[];
  content: string;
  truncated: boolean;
  waits?: McpCallWaits;
}
interface ManifestSkillAnswer {
  outcome: string;
  skill_id: string;
}

/** What each internal route of the registry answers with. */
export type RegistryInternalViews = [
  ['GET attention', { data: AttentionItem[] }],
  ['POST tool-calls', CallAnswer],
  ['GET toolsets', Toolset],
  ['GET audit', { data: { subject: string; action: string }[] }],
  [`${string} skills/manifest${string}`, ManifestSkillAnswer],
];

/** What each route of the registry answers with. */
export type RegistryViews = [
  ['GET mcp-servers', ServerPage],
  ['POST mcp-servers/oauth', RegisteredByOauth],
  [`${string} mcp-servers${string}`, ServerView],
  ['GET skills', SkillPage],
  ['POST skills/import', ImportedSkill],
  [`GET skills/${string}/versions`, SkillVersionList],
  [`GET skills/${string}/export`, SkillFolder],
  [`${string} skills${string}`, SkillDetail],
  ['GET tools', ToolPage],
  [`POST tools/${string}/rehearse`, ToolRehearsalView],
  [`POST tools/${string}/try`, TryAnswer],
  [`GET tools/${string}/calls`, CallOfToolPage],
  [`GET tools/${string}/versions`, ToolVersionList],
  [`GET tools/${string}/difference`, ToolDifference],
  [`PATCH tools/${string}`, ToolChangeView],
  [`${string} tools${string}`, ToolView],
];
