import { type Principal, requireApprovalsManage } from '#libs/service-kit';
import { exceeds } from '../../path/tools/tool.js';
import type { Agent, AgentFields } from '../../entities/agent.entity.js';

/** The fields that decide what an agent does by itself and who approves the rest. */
type Powers = Pick<Agent, 'may_do' | 'approvers' | 'approvers_decide_own' | 'allowed_hosts'>;

/** The powers that anybody who may write agents can give a new one. */
export const firstPowers: Powers = { may_do: 'write', approvers: [], approvers_decide_own: false, allowed_hosts: [] };

/**
 * Whoever writes agents may reduce their powers. Raising them or naming other approvers requires `approvals:manage`.
 * @throws Problem 403 `scope_missing`
 */
export function requireRightTo(caller: Principal, before: Powers, after: Partial<AgentFields>): void {
  const {
    may_do: mayDo = before.may_do,
    approvers = before.approvers,
    approvers_decide_own: decideOwn = before.approvers_decide_own,
    allowed_hosts: hosts = before.allowed_hosts,
  } = after;
  if (exceeds(mayDo, before.may_do)) requireApprovalsManage(caller, 'Raising what an agent may do by itself (may_do)');
  if (!sameNames(approvers, before.approvers)) requireApprovalsManage(caller, 'Naming the approvers of an agent');
  if (decideOwn && !before.approvers_decide_own) {
    requireApprovalsManage(caller, 'Letting approvers decide over their own turns (approvers_decide_own)');
  }
  if (hosts.some((host) => !before.allowed_hosts.includes(host))) {
    requireApprovalsManage(caller, 'Naming more hosts that an agent reaches by itself (allowed_hosts)');
  }
}

/** The part of an agent that the audit log keeps. */
export function powersOf(agent: Agent): object {
  const { name, may_do, approvers, approvers_decide_own, allowed_hosts, tools, skills, python_tools, agents } = agent;
  return { name, may_do, approvers, approvers_decide_own, allowed_hosts, tools, skills, python_tools, agents };
}

/** Compares the audited fields only. A change of instructions, for example, is no change of powers. */
export function samePowers(a: Agent, b: Agent): boolean {
  return JSON.stringify(powersOf(a)) === JSON.stringify(powersOf(b));
}

function sameNames(a: string[], b: string[]): boolean {
  return JSON.stringify([...new Set(a)].sort()) === JSON.stringify([...new Set(b)].sort());
}
