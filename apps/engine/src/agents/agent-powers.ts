import { type Principal, requireApprovalsManage } from '#libs/service-kit';
import { exceeds } from '../tools/tool.js';
import type { Agent } from './agent.entity.js';
import type { AgentFields } from './agent.repository.js';

/** What of an agent decides what it does by itself, and who decides over the rest. */
type Powers = Pick<Agent, 'may_do' | 'approvers' | 'allowed_hosts'>;

/** What anybody who writes agents may give a new one. */
export const firstPowers: Powers = { may_do: 'write', approvers: [], allowed_hosts: [] };

/**
 * Whoever writes agents may take powers away; more of them, and other approvers, are for those who manage approvals.
 * @throws Problem 403 `scope_missing`
 */
export function requireRightTo(caller: Principal, before: Powers, after: Partial<AgentFields>): void {
  const {
    may_do: mayDo = before.may_do,
    approvers = before.approvers,
    allowed_hosts: hosts = before.allowed_hosts,
  } = after;
  if (exceeds(mayDo, before.may_do)) requireApprovalsManage(caller, 'Raising what an agent may do by itself (may_do)');
  if (!sameNames(approvers, before.approvers)) requireApprovalsManage(caller, 'Naming the approvers of an agent');
  if (hosts.some((host) => !before.allowed_hosts.includes(host))) {
    requireApprovalsManage(caller, 'Naming more hosts that an agent reaches by itself (allowed_hosts)');
  }
}

/** What the audit log keeps of an agent. */
export function powersOf({ name, may_do, approvers, allowed_hosts, tools, skills, python_tools }: Agent): object {
  return { name, may_do, approvers, allowed_hosts, tools, skills, python_tools };
}

/** A change of other things, as of its instructions, is not one of its powers. */
export function samePowers(a: Agent, b: Agent): boolean {
  return JSON.stringify(powersOf(a)) === JSON.stringify(powersOf(b));
}

function sameNames(a: string[], b: string[]): boolean {
  return JSON.stringify([...new Set(a)].sort()) === JSON.stringify([...new Set(b)].sort());
}
