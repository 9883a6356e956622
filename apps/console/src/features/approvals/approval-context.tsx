import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { usePrincipalName } from '../../api/principals.js';
import { useProjectId, useProjectQuery } from '../../api/project-query.js';
import { approvalTexts } from '../../texts/approvals.js';
import { Facts } from '../../ui/facts.js';
import { AgentName } from '../../ui/name-of.js';
import { TextLink } from '../../ui/links.js';
import { When } from '../../ui/when.js';
import { useCalledTool } from './approval-call.js';

/** Who requested it, in which conversation, and who may decide. */
export function ApprovalContext({ approval }: { approval: Schema<'ApprovalView'> }): ReactNode {
  const projectId = useProjectId();
  const nameOf = usePrincipalName([...approval.requested_by, ...approval.approvers]);
  const { tool } = useCalledTool(approval);
  const { data: turn } = useProjectQuery(['turn', approval.turn_id], (signal) =>
    answer(api.GET('/api/v1/turns/{id}', { params: { path: { id: approval.turn_id } }, signal })),
  );
  const sessionId = turn?.session_id;
  const texts = approvalTexts;
  const names = (subjects: string[]): string => subjects.map(nameOf).join(', ');
  return (
    <Facts
      of={[
        [
          texts.agent,
          <TextLink to={{ to: '/p/$projectId/agents/$agentId', params: { projectId, agentId: approval.agent_id } }}>
            <AgentName id={approval.agent_id} />
          </TextLink>,
        ],
        [
          texts.tool,
          tool ? (
            <TextLink to={{ to: '/p/$projectId/tools/$toolId', params: { projectId, toolId: tool.id } }}>
              <code>{approval.tool}</code>
            </TextLink>
          ) : (
            <code>{approval.tool}</code>
          ),
        ],
        [
          texts.event,
          <TextLink to={{ to: '/p/$projectId/events/$eventId', params: { projectId, eventId: approval.receipt_id } }}>
            {texts.openEvent}
          </TextLink>,
        ],
        [
          texts.conversation,
          sessionId && (
            <TextLink to={{ to: '/p/$projectId/conversations/$sessionId', params: { projectId, sessionId } }}>
              {texts.openConversation}
            </TextLink>
          ),
        ],
        [texts.requestedBy, names(approval.requested_by) || texts.sender],
        [texts.approvers, names(approval.approvers) || texts.nobody],
        [texts.until, approval.state === 'pending' && <When at={approval.expires_at} relative />],
      ]}
    />
  );
}
