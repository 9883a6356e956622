import type { Scope } from '#libs/service-kit';

const resources = [
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
  'events:read_body',
  'admin',
];

/** What of `wanted` a holder of `held` may not pass on: `admin` includes every scope, `x:write` includes `x:read`. */
export function notGrantable(held: readonly Scope[], wanted: readonly Scope[]): Scope[] {
  return wanted.filter((scope) => {
    if (!grantableScopes.includes(scope)) return true;
    const wider = scope.replace(/:read$/, ':write') as Scope;
    return !held.includes('admin') && !held.includes(scope) && !held.includes(wider);
  });
}
