import { agentRoutes } from '../features/agents/routes.js';
import { alertRoutes } from '../features/alerts/routes.js';
import { approvalRoutes } from '../features/approvals/routes.js';
import { contactRoutes } from '../features/contacts/routes.js';
import { conversationRoutes } from '../features/conversations/routes.js';
import { docsRoutes } from '../features/docs/routes.js';
import { eventRoutes } from '../features/events/routes.js';
import { credentialRoutes } from '../features/credentials/routes.js';
import { developerPortalRoutes } from '../features/developer-portal/routes.js';
import { homeRoutes } from '../features/home/routes.js';
import { integrationRoutes } from '../features/integrations/routes.js';
import { settingsRoutes } from '../features/settings/routes.js';
import { signInRoute } from '../features/sign-in/routes.js';
import { sourceRoutes } from '../features/sources/routes.js';
import { knowledgeRoutes } from '../features/knowledge/routes.js';
import { mapRoutes } from '../features/map/routes.js';
import { mcpServerRoutes } from '../features/mcp-servers/routes.js';
import { modelRoutes } from '../features/models/routes.js';
import { operationsRoutes } from '../features/operations/routes.js';
import { skillRoutes } from '../features/skills/routes.js';
import { templateRoutes } from '../features/templates/routes.js';
import { toolRoutes } from '../features/tools/routes.js';
import { usageRoutes } from '../features/usage/routes.js';
import { scheduleRoutes } from '../features/schedules/routes.js';
import { workflowRoutes } from '../features/workflows/routes.js';
import { indexRoute, projectRoute, rootRoute } from './project-route.js';

export const routeTree = rootRoute.addChildren([
  indexRoute,
  signInRoute,
  projectRoute.addChildren([
    ...homeRoutes,
    ...eventRoutes,
    ...integrationRoutes,
    ...developerPortalRoutes,
    ...credentialRoutes,
    ...sourceRoutes,
    ...approvalRoutes,
    ...workflowRoutes,
    ...scheduleRoutes,
    ...mapRoutes,
    ...agentRoutes,
    ...toolRoutes,
    ...templateRoutes,
    ...mcpServerRoutes,
    ...modelRoutes,
    ...skillRoutes,
    ...knowledgeRoutes,
    ...conversationRoutes,
    ...contactRoutes,
    ...usageRoutes,
    ...operationsRoutes,
    ...alertRoutes,
    ...settingsRoutes,
    ...docsRoutes,
  ]),
]);
