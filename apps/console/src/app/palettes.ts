import {
  BellPlus,
  Blocks,
  BookOpen,
  BookOpenText,
  Bot,
  Contact,
  FolderSync,
  Gauge,
  GraduationCap,
  KeyRound,
  type LucideIcon,
  MessagesSquare,
  Plug,
  Plus,
  Settings,
  ShieldCheck,
  SquareTerminal,
  UserPlus,
  UserRound,
  WandSparkles,
  Workflow,
  Wrench,
} from 'lucide-react';
import { answer, api } from '../api/client.js';
import { topicOf } from '../features/conversations/use-conversation.js';
import { own } from '../own.js';
import { agentTexts } from '../texts/agents.js';
import { alertTexts } from '../texts/alerts.js';
import { approvalTexts } from '../texts/approvals.js';
import { contactTexts } from '../texts/contacts.js';
import { conversationTexts } from '../texts/conversations.js';
import { credentialTexts } from '../texts/credentials.js';
import { developerPortalTexts } from '../texts/developer-portal.js';
import { docsTexts } from '../texts/docs.js';
import { integrationTexts } from '../texts/integrations.js';
import { knowledgeTexts } from '../texts/knowledge.js';
import { mcpTexts } from '../texts/mcp-servers.js';
import { operationsTexts } from '../texts/operations.js';
import { settingsTexts } from '../texts/settings.js';
import { skillTexts } from '../texts/skills.js';
import { sourceTexts } from '../texts/sources.js';
import { templateTexts } from '../texts/templates.js';
import { toolTexts } from '../texts/tools.js';
import { uiTexts } from '../texts/ui.js';
import { workflowTexts } from '../texts/workflows.js';
import { lastMessagePalette } from './last-message-palette.js';
import { messagePalette } from './message-palette.js';
import { contains, limit, listed, type Palette, type PaletteEntry } from './palette.js';

const { palette: settings } = settingsTexts;

/** The tabs of a page with several, each with what it says of itself. */
const sectionPages = (path: string, icon: LucideIcon, sections: Sections): PaletteEntry[] =>
  Object.entries(sections).map(([section, texts]) => {
    const page = `${path}/${section}`;
    return { id: page, icon, path: page, ...texts };
  });
type Sections = Readonly<Record<string, { label: string; description: string }>>;

/** What each feature adds to ⌘K; loaded with it. */
export const palettes: readonly Palette[] = [
  listed({
    actions: [{ id: 'install-app', label: integrationTexts.palette.install, icon: Plus, path: '/integrations' }],
    label: integrationTexts.palette.search,
    scope: 'apps:read',
    icon: Blocks,
    path: '/integrations',
    ask: async (query, signal) => {
      const { data } = await answer(api.GET('/api/v1/apps', { signal }));
      const matches = (id: string, name: string): boolean => id === query || contains(query, name);
      return { data: data.filter(({ id, name, state }) => state !== 'retired' && matches(id, name)) };
    },
    entry: ({ name, provider }) => ({ label: name, description: provider }),
  }),
  listed({
    actions: [{ id: 'new-credential', label: credentialTexts.palette.make, icon: Plus, path: '/credentials?make=' }],
    label: credentialTexts.palette.search,
    scope: 'credentials:read',
    icon: KeyRound,
    path: '/credentials',
    ask: (search, signal) => answer(api.GET('/api/v1/credentials', { params: { query: { search, limit } }, signal })),
    entry: ({ name, account }) => ({ label: name, description: account?.name }),
  }),
  listed({
    actions: [{ id: 'add-source', label: sourceTexts.palette.add, icon: Plus, path: '/sources?add=true' }],
    label: sourceTexts.palette.search,
    scope: 'apps:read',
    icon: FolderSync,
    path: '/sources',
    ask: (search, signal) => answer(api.GET('/api/v1/sources', { params: { query: { search, limit } }, signal })),
    entry: ({ name, resource_path }) => ({ label: name, description: resource_path }),
  }),
  listed({
    actions: [
      {
        id: 'register-adapter',
        label: developerPortalTexts.palette.register,
        icon: Plus,
        path: '/developer-portal?register=true',
      },
    ],
    label: developerPortalTexts.palette.search,
    scope: 'apps:read',
    icon: SquareTerminal,
    path: '/developer-portal',
    ask: async (query, signal) => {
      const { data } = await answer(api.GET('/api/v1/adapters', { signal }));
      return { data: data.filter(({ id, name, slug }) => id === query || contains(query, `${name} ${slug}`)) };
    },
    entry: ({ name, slug }) => ({ label: name, description: slug }),
  }),
  messagePalette,
  listed({
    label: conversationTexts.title,
    scope: 'channels:read',
    icon: MessagesSquare,
    path: '/conversations',
    ask: (search, signal) => answer(api.GET('/api/v1/sessions', { params: { query: { search, limit } }, signal })),
    entry: (session) => ({
      label: topicOf(session),
      description: [conversationTexts.statuses[session.status], session.last_text].filter(Boolean).join(' · '),
    }),
  }),
  listed({
    label: approvalTexts.palette,
    scope: 'agents:read',
    icon: ShieldCheck,
    path: '/approvals',
    ask: (search, signal) => answer(api.GET('/api/v1/approvals', { params: { query: { search, limit } }, signal })),
    entry: ({ tool, state }) => ({ label: tool, description: own(uiTexts.outcomes, state) }),
  }),
  lastMessagePalette,
  listed({
    label: contactTexts.title,
    scope: 'contacts:read',
    icon: Contact,
    path: '/contacts',
    direct: (id) =>
      /^con_\w+$/.test(id)
        ? [{ id, label: `${contactTexts.one} ${id}`, icon: Contact, path: `/contacts/${id}` }]
        : null,
    ask: (search, signal) => answer(api.GET('/api/v1/contacts', { params: { query: { search, limit } }, signal })),
    entry: ({ name, status }) => ({ label: name, description: contactTexts.statuses[status] }),
  }),
  listed({
    label: workflowTexts.palette.search,
    scope: 'workflows:read',
    icon: Workflow,
    path: '/workflows',
    direct: (id) =>
      /^run_\w+$/.test(id)
        ? [{ id, label: `${workflowTexts.run.title} ${id}`, icon: Workflow, path: `/runs/${id}` }]
        : null,
    ask: async (query, signal) => {
      const { data } = await answer(api.GET('/api/v1/workflows', { signal }));
      return { data: data.filter(({ name }) => contains(query, name)).slice(0, limit) };
    },
    entry: ({ name }) => ({ label: name }),
  }),
  listed({
    label: agentTexts.palette.search,
    scope: 'agents:read',
    icon: Bot,
    path: '/agents',
    ask: (search, signal) => answer(api.GET('/api/v1/agents', { params: { query: { search, limit } }, signal })),
    entry: ({ name }) => ({ label: name }),
  }),
  listed({
    label: skillTexts.palette.search,
    scope: 'tools:read',
    icon: GraduationCap,
    path: '/skills',
    ask: (search, signal) => answer(api.GET('/api/v1/skills', { params: { query: { search, limit } }, signal })),
    entry: ({ name, description }) => ({ label: name, description }),
  }),
  listed({
    actions: [{ id: 'new-tool', label: toolTexts.palette.create, icon: Wrench, path: '/tools/new' }],
    label: toolTexts.palette.search,
    scope: 'tools:read',
    icon: Wrench,
    path: '/tools',
    ask: (search, signal) => answer(api.GET('/api/v1/tools', { params: { query: { search, limit } }, signal })),
    entry: ({ name, description }) => ({ label: name, description }),
  }),
  listed({
    label: mcpTexts.palette.search,
    scope: 'tools:read',
    icon: Plug,
    path: '/mcp-servers',
    ask: (search, signal) => answer(api.GET('/api/v1/mcp-servers', { params: { query: { search, limit } }, signal })),
    entry: ({ name, url }) => ({ label: name, description: url }),
  }),
  listed({
    label: knowledgeTexts.palette.search,
    scope: 'knowledge:read',
    icon: BookOpen,
    path: '/knowledge',
    ask: async (q, signal) => {
      const { data } = await answer(api.GET('/api/v1/knowledge/search', { params: { query: { q, limit } }, signal }));
      // Passages of one document are one result.
      return {
        data: [
          ...new Map(data.map((passage) => [passage.document_id, { ...passage, id: passage.document_id }])).values(),
        ],
      };
    },
    entry: ({ title, excerpt }) => ({ label: title, description: excerpt.slice(0, 80) }),
  }),
  {
    actions: [{ id: 'new-alert-rule', label: alertTexts.create, icon: BellPlus, path: '/alerts/new' }],
    pages: [
      {
        id: 'templates',
        label: templateTexts.title,
        description: templateTexts.description,
        icon: WandSparkles,
        path: '/templates',
      },
      { id: 'docs', label: docsTexts.title, description: docsTexts.description, icon: BookOpenText, path: '/docs' },
      ...sectionPages('/operations', Gauge, operationsTexts.sections),
      ...sectionPages('/settings', Settings, settingsTexts.sections),
    ],
  },
  listed({
    actions: [
      { id: 'invite', label: settings.invite, icon: UserPlus, path: '/settings/members?add=true' },
      { id: 'create-key', label: settings.createKey, icon: KeyRound, path: '/settings/keys?add=true' },
    ],
    label: settings.search,
    scope: 'members:read',
    icon: UserRound,
    path: '/settings/members',
    ask: (search, signal) => answer(api.GET('/api/v1/members', { params: { query: { search, limit } }, signal })),
    entry: ({ name, email }) => ({ label: name, description: email }),
  }),
];
