import { idDigits } from './id-kinds.js';
import type { NormalizedMessage } from './message.js';

/** The choices of a message that asks for an approval. */
export const approvalChoices = [
  { id: 'approve', label: 'Approve', style: 'primary' },
  { id: 'refuse', label: 'Refuse', style: 'danger' },
] as const;

const prefix = 'approval:';

/** The value of both choices. It says nothing to who reads it, and counts only for the contact who was asked. */
export function approvalValue(token: string): string {
  return prefix + token;
}

/** A decision that somebody sent: by the token of a choice, or by the id of the approval. */
export interface SentDecision {
  state: 'approved' | 'refused';
  by: { token: string } | { approval: string };
}

const written = new RegExp(`^\\s*(approve|refuse)\\s+(apr_${idDigits('apr')})\\s*$`, 'i');

/** @returns the decision that a message is: a press of a choice, or exactly `approve apr_…` or `refuse apr_…` */
export function decisionIn({ event_type, message, metadata }: NormalizedMessage): SentDecision | null {
  if (event_type === 'action') return pressedIn(metadata?.['action']);
  const [, word, id] = written.exec(message) ?? [];
  if (word === undefined || id === undefined) return null;
  return {
    state: word.toLowerCase() === 'approve' ? 'approved' : 'refused',
    by: { approval: id.toLowerCase() },
  };
}

function pressedIn(action: unknown): SentDecision | null {
  if (typeof action !== 'object' || action === null) return null;
  const { id, value }: { id?: unknown; value?: unknown } = action;
  const choice = approvalChoices.find((each) => each.id === id);
  if (!choice || typeof value !== 'string' || !value.startsWith(prefix)) return null;
  return { state: choice.id === 'approve' ? 'approved' : 'refused', by: { token: value.slice(prefix.length) } };
}
