import { agentsPalette } from '../features/agents/palette.js';
import { approvalsPalette } from '../features/approvals/palette.js';
import { contactsPalette } from '../features/contacts/palette.js';
import { conversationsPalette } from '../features/conversations/palette.js';
import { credentialsPalette } from '../features/credentials/palette.js';
import { developerPortalPalette } from '../features/developer-portal/palette.js';
import { eventsPalette } from '../features/events/palette.js';
import { integrationsPalette } from '../features/integrations/palette.js';
import { knowledgePalette } from '../features/knowledge/palette.js';
import { mcpServersPalette } from '../features/mcp-servers/palette.js';
import { operationsPalette } from '../features/operations/palette.js';
import { settingsPalette } from '../features/settings/palette.js';
import { skillsPalette } from '../features/skills/palette.js';
import { sourcesPalette } from '../features/sources/palette.js';
import { toolsPalette } from '../features/tools/palette.js';
import { workflowsPalette } from '../features/workflows/palette.js';
import type { Palette } from './feature.js';

/** What each feature adds to ⌘K; loaded with it. */
export const palettes: readonly Palette[] = [
  integrationsPalette,
  credentialsPalette,
  sourcesPalette,
  developerPortalPalette,
  eventsPalette,
  conversationsPalette,
  approvalsPalette,
  contactsPalette,
  workflowsPalette,
  agentsPalette,
  skillsPalette,
  toolsPalette,
  mcpServersPalette,
  knowledgePalette,
  operationsPalette,
  settingsPalette,
];
