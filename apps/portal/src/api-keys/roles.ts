import type { Scope } from '#libs/service-kit';
import { notGrantable, resources, spelledOut } from './grants.js';

export const roleNames = ['owner', 'admin', 'operator', 'developer', 'viewer'] as const;
export type RoleName = (typeof roleNames)[number];

const reads: Scope[] = [...resources.map((resource): Scope => `${resource}:read`), 'members:read', 'audit:read'];

interface Role {
  description: string;
  scopes: Scope[];
}

/** Roles are sets of API-key scopes. */
const roles: Record<RoleName, Role> = {
  owner: {
    description: 'Everything, including giving powers to agents, naming who approves and making other owners',
    scopes: ['admin', 'approvals:manage'],
  },
  admin: {
    description: 'Everything except giving powers to agents and making owners: members, projects, keys, credentials',
    scopes: ['admin'],
  },
  operator: {
    description: 'Keeps it running: replays, dead letters, held messages, contacts, conversations, approvals, alerts',
    scopes: [
      ...reads,
      'events:write',
      'deliveries:write',
      'channels:write',
      'contacts:write',
      'alerts:write',
      'approvals:decide',
    ],
  },
  developer: {
    description:
      'Builds: Apps, triggers, workflows, agents, tools, knowledge, credentials and API keys; reads what came in',
    scopes: [...reads, ...resources.map((resource): Scope => `${resource}:write`), 'agents:ask', 'events:read_body'],
  },
  viewer: { description: 'Sees everything except the bodies of requests and the values of secrets', scopes: reads },
};

export function scopesOf(role: RoleName): Scope[] {
  return roles[role].scopes;
}

/**
 * Whether a holder of these scopes may grant the role and manage members who have it: nobody grants more than they
 * have.
 */
export function mayGrant(held: readonly Scope[], role: RoleName): boolean {
  return notGrantable(held, roles[role].scopes).length === 0;
}

/** Every role, with each scope that it includes. */
export function describedRoles(): { name: RoleName; description: string; scopes: Scope[] }[] {
  return roleNames.map((name) => ({
    name,
    description: roles[name].description,
    scopes: spelledOut(roles[name].scopes),
  }));
}
