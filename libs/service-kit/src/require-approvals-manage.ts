import { holds } from './auth.guard.js';
import type { Principal } from './principal.js';
import { Problem } from './problem.js';

/**
 * Of a change that lets agents do more by themselves, or names who approves: the right to change a resource is not enough.
 * @param what in words: what the change does
 * @throws Problem 403 `scope_missing`
 */
export function requireApprovalsManage(caller: Pick<Principal, 'scopes'>, what: string): void {
  if (holds(caller.scopes, 'approvals:manage')) return;
  throw new Problem(403, 'scope_missing', `${what} needs the scope approvals:manage, which admin does not include.`);
}
