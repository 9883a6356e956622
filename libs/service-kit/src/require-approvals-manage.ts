import { holds } from './auth.guard.js';
import type { Principal } from './principal.js';
import { Problem } from './problem.js';

/**
 * For a change that lets agents do more on their own, or that names who approves: the right to change a resource is not
 * enough.
 * @param what the change does, in words
 * @throws Problem 403 `scope_missing`
 */
export function requireApprovalsManage(caller: Pick<Principal, 'scopes'>, what: string): void {
  if (holds(caller.scopes, 'approvals:manage')) return;
  throw new Problem(403, 'scope_missing', `${what} needs the scope approvals:manage, which admin does not include.`);
}
