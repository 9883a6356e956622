import type { NormalizedMessage, TurnInput, TurnRunPayload } from '#libs/contracts';
import type { Agent } from '../entities/agent.entity.js';
import type { TurnAttachment, TurnScope } from '../tools/tool.js';

/** A sender is trusted when it is admitted and its system was authenticated. Both must be stated in the input. */
export function turnScope(
  payload: TurnRunPayload,
  sessionId: string | null,
  input: TurnInput,
  agent: Agent,
): TurnScope {
  const trust = input.trust ?? 'unknown';
  return {
    organizationId: payload.organization_id,
    projectId: payload.project_id,
    turnId: payload.turn_id,
    receiptId: payload.receipt_id,
    appId: payload.app_id,
    sessionId,
    agentId: agent.id,
    contactId: input.contact_id ?? null,
    sender: input.message.sender,
    trust,
    trusted: input.verified && trust !== 'unknown',
    rehearsal: input.rehearsal === true,
    startedBy: [...(input.contact_id ? [`contact:${input.contact_id}`] : []), ...(input.started_by ?? [])],
    attachments: [input.message, ...(input.earlier ?? [])].flatMap(attachmentsOf),
  };
}

function attachmentsOf({ metadata }: NormalizedMessage): TurnAttachment[] {
  const attachments = metadata?.['attachments'];
  if (!Array.isArray(attachments)) return [];
  return (attachments as unknown[]).flatMap((each) => {
    const { id, name, content_type: type, fetch_ref: ref } = (each ?? {}) as Record<string, unknown>;
    if (typeof id !== 'string' || id === '') return [];
    const text = (value: unknown): string => (typeof value === 'string' ? value : '');
    return [{ id, name: text(name), contentType: text(type), fetchRef: text(ref) || null }];
  });
}
