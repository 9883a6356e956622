import { holds, type Scope } from '#libs/service-kit';

export const resources = [
  'apps',
  'workflows',
  'agents',
  'events',
  'deliveries',
  'credentials',
  'channels',
  'contacts',
  'keys',
  'tools',
  'knowledge',
  'alerts',
] as const;

/** Every scope that a key may have. `service` is not one of them: only services have it. */
export const grantableScopes: readonly Scope[] = [
  ...resources.flatMap((resource): Scope[] => [`${resource}:read`, `${resource}:write`]),
  'agents:ask',
  'approvals:decide',
  'approvals:manage',
  'audit:read',
  'members:read',
  'members:manage',
  'organizations:write',
  'projects:write',
  'events:read_body',
  'admin',
];

/** The scopes of `wanted` that a holder of `held` may not grant: it lacks them itself, or no key may have them. */
export function notGrantable(held: readonly Scope[], wanted: readonly Scope[]): Scope[] {
  return wanted.filter((scope) => !grantableScopes.includes(scope) || !holds(held, scope));
}

/** Every single scope that these include. Screens check it to decide what to offer. */
export function spelledOut(held: readonly Scope[]): Scope[] {
  return grantableScopes.filter((scope) => holds(held, scope));
}
