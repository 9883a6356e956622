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
] as const;

/** Every scope a key may have. `service` is not one: it is for services alone. */
export const grantableScopes: readonly Scope[] = [
  ...resources.flatMap((resource): Scope[] => [`${resource}:read`, `${resource}:write`]),
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

/** What of `wanted` a holder of `held` may not pass on: what it does not hold itself, or no key may have. */
export function notGrantable(held: readonly Scope[], wanted: readonly Scope[]): Scope[] {
  return wanted.filter((scope) => !grantableScopes.includes(scope) || !holds(held, scope));
}

/** All that these include, one by one: what a screen may offer is looked up in it. */
export function spelledOut(held: readonly Scope[]): Scope[] {
  return grantableScopes.filter((scope) => holds(held, scope));
}
