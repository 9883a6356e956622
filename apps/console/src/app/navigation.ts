import {
  Activity,
  BellRing,
  Blocks,
  BookOpen,
  Bot,
  CalendarClock,
  ChartColumn,
  Contact,
  Cpu,
  FlaskConical,
  FolderSync,
  Gauge,
  GraduationCap,
  House,
  KeyRound,
  type LucideIcon,
  MessagesSquare,
  Plug,
  Settings,
  ShieldCheck,
  SquareTerminal,
  Waypoints,
  Workflow,
  Wrench,
} from 'lucide-react';
import { navigationTexts as label } from '../texts/shell.js';

export type NavigationGroup = 'home' | 'messages' | 'build' | 'connect' | 'operate';

export interface NavigationItem {
  group: NavigationGroup;
  label: string;
  icon: LucideIcon;
  /** Below `/p/<project>`: `/events`. Home is the empty path. */
  path: `/${string}` | '';
  /** Without this scope, the item is not shown. */
  scope?: string;
  /** The path of the item below which it is shown, while one of the two is open: the list fits into a laptop's height. */
  within?: string;
}

/** Every page of the navigation, in the order in which it shows them within their groups. Every visit loads it. */
export const navigation: readonly NavigationItem[] = [
  { group: 'home', label: label.home, icon: House, path: '' },
  { group: 'connect', label: label.integrations, icon: Blocks, path: '/integrations', scope: 'apps:read' },
  { group: 'connect', label: label.credentials, icon: KeyRound, path: '/credentials', scope: 'credentials:read' },
  { group: 'connect', label: label.sources, icon: FolderSync, path: '/sources', scope: 'apps:read' },
  {
    group: 'connect',
    label: label.developerPortal,
    icon: SquareTerminal,
    path: '/developer-portal',
    scope: 'apps:read',
    within: '/integrations',
  },
  { group: 'messages', label: label.events, icon: Activity, path: '/events', scope: 'events:read' },
  {
    group: 'connect',
    label: label.simulator,
    icon: FlaskConical,
    path: '/simulator',
    scope: 'apps:write',
    within: '/integrations',
  },
  {
    group: 'messages',
    label: label.conversations,
    icon: MessagesSquare,
    path: '/conversations',
    scope: 'channels:read',
  },
  { group: 'messages', label: label.approvals, icon: ShieldCheck, path: '/approvals', scope: 'agents:read' },
  { group: 'messages', label: label.contacts, icon: Contact, path: '/contacts', scope: 'contacts:read' },
  { group: 'build', label: label.workflows, icon: Workflow, path: '/workflows', scope: 'workflows:read' },
  {
    group: 'build',
    label: label.schedules,
    icon: CalendarClock,
    path: '/schedules',
    scope: 'workflows:read',
    within: '/workflows',
  },
  {
    group: 'build',
    label: label.map,
    icon: Waypoints,
    path: '/map',
    scope: 'workflows:read',
    within: '/workflows',
  },
  { group: 'build', label: label.agents, icon: Bot, path: '/agents', scope: 'agents:read' },
  { group: 'build', label: label.models, icon: Cpu, path: '/models', scope: 'agents:read' },
  { group: 'build', label: label.tools, icon: Wrench, path: '/tools', scope: 'tools:read' },
  { group: 'build', label: label.skills, icon: GraduationCap, path: '/skills', scope: 'tools:read', within: '/tools' },
  { group: 'build', label: label.mcpServers, icon: Plug, path: '/mcp-servers', scope: 'tools:read', within: '/tools' },
  { group: 'build', label: label.knowledge, icon: BookOpen, path: '/knowledge', scope: 'knowledge:read' },
  { group: 'operate', label: label.usage, icon: ChartColumn, path: '/usage', scope: 'agents:read' },
  { group: 'operate', label: label.operations, icon: Gauge, path: '/operations', scope: 'events:read' },
  {
    group: 'operate',
    label: label.alerts,
    icon: BellRing,
    path: '/alerts',
    scope: 'alerts:read',
    within: '/operations',
  },
  { group: 'operate', label: label.settings, icon: Settings, path: '/settings' },
];
