import type { ApprovalReason } from '../../entities/approval.entity.js';
import type { AskedApproval } from './approval-ask.repository.js';

const why: Record<ApprovalReason, string> = {
  over_may_do: 'The agent may not do this by itself.',
  untrusted_content: 'The agent has read content that is not trusted: look closely at what it asks for.',
  partner_content: 'The agent has read content of a partner.',
  workflow_step: 'The workflow goes on from your answer.',
};

/**
 * What an approver reads, in Markdown: the call with its arguments, why it waits, and until when.
 * @param maxChars of the arguments; whoever reads less than all of them is informed of that
 */
export function askText(approval: AskedApproval, maxChars: number): string {
  const { id, tool, grade, agent_name: agent, reason, expires_at: until } = approval;
  const all = JSON.stringify(approval.arguments, null, 2);
  const shown = all.slice(0, maxChars).toWellFormed();
  const fence = '`'.repeat(Math.max(3, ...(shown.match(/`+/g) ?? []).map(({ length }) => length + 1)));
  const asks =
    reason === 'workflow_step'
      ? `the step \`${tool}\` of a workflow asks.`
      : `${agent === null ? 'an agent' : `the agent ${inline(agent)}`} asks to call \`${tool}\` (${grade}).`;
  const missing = all.length - shown.length;
  return [
    `**Approval needed:** ${asks} ${why[reason]}`,
    [`${fence}json`, shown, fence].join('\n'),
    ...(missing > 0 ? [`**${missing} characters are not shown here:** read the whole call in the console first.`] : []),
    `It counts as refused after ${new Date(until).toISOString().slice(0, 16).replace('T', ' ')} UTC. You may also write \`approve ${id}\` or \`refuse ${id}\`.`,
  ].join('\n\n');
}

/** A name as text: it is no markup of ours. */
export function inline(name: string): string {
  return name.replace(/[\\`*_[\]<>~|#]/g, String.raw`\$&`).replace(/\s+/g, ' ');
}
