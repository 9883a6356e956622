import { agentsFeature } from '../features/agents/feature.js';
import { approvalsFeature } from '../features/approvals/feature.js';
import { contactsFeature } from '../features/contacts/feature.js';
import { conversationsFeature } from '../features/conversations/feature.js';
import { credentialsFeature } from '../features/credentials/feature.js';
import { developerPortalFeature } from '../features/developer-portal/feature.js';
import { eventsFeature } from '../features/events/feature.js';
import { homeFeature } from '../features/home/feature.js';
import { integrationsFeature } from '../features/integrations/feature.js';
import { knowledgeFeature } from '../features/knowledge/feature.js';
import { mcpServersFeature } from '../features/mcp-servers/feature.js';
import { operationsFeature } from '../features/operations/feature.js';
import { settingsFeature } from '../features/settings/feature.js';
import { skillsFeature } from '../features/skills/feature.js';
import { sourcesFeature } from '../features/sources/feature.js';
import { toolsFeature } from '../features/tools/feature.js';
import { usageFeature } from '../features/usage/feature.js';
import { workflowsFeature } from '../features/workflows/feature.js';
import type { Feature } from './feature.js';

/** Every feature, in the order in which the navigation shows them within their groups. */
export const features: readonly Feature[] = [
  homeFeature,
  integrationsFeature,
  credentialsFeature,
  sourcesFeature,
  developerPortalFeature,
  eventsFeature,
  conversationsFeature,
  approvalsFeature,
  contactsFeature,
  workflowsFeature,
  agentsFeature,
  skillsFeature,
  toolsFeature,
  mcpServersFeature,
  knowledgeFeature,
  usageFeature,
  operationsFeature,
  settingsFeature,
];
