import { hasScope, type Session } from '../../api/session.js';
import type { Schema } from '../../api/named-schema.js';
import { approvalTexts } from '../../texts/approvals.js';

/** Why this person may not decide over the call; null: they may. The engine checks the same again. */
export function whyNot(approval: Schema<'ApprovalView'>, { member, scopes }: Session): string | null {
  const texts = approvalTexts.notice;
  const me = `user:${member.id}`;
  if (!hasScope(scopes, 'approvals:decide')) return texts.lacksScope;
  if (approval.requested_by.includes(me)) return texts.own;
  if (!approval.approvers.includes(me)) return texts.notNamed;
  if (Date.parse(approval.expires_at) <= Date.now()) return texts.over;
  return null;
}
