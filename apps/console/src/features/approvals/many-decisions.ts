import { useAgentName } from '../../api/choices.js';
import { answer, api, type Schema } from '../../api/client.js';
import { useSession } from '../../api/session.js';
import { approvalTexts as texts } from '../../texts/approvals.js';
import { whyNot } from '../../ui/decide.js';
import type { Many } from '../../ui/many-bar.js';

type Approval = Schema<'ApprovalView'>;

/** Decides several calls, each by itself. What destroys is approved one by one: its arguments have to be read. */
export function useManyDecisions(): Many<Approval> {
  const session = useSession();
  const agentName = useAgentName();
  const isMine = (one: Approval): boolean => whyNot(one, session) === null;
  return {
    nameOf: ({ agent_id: agent, tool }) => texts.wants(agentName(agent), tool),
    touched: ['approvals', 'approval'],
    actions: [
      {
        label: texts.refuse,
        reason: null,
        isFor: isMine,
        change: ({ id }) => answer(api.POST('/api/v1/approvals/{id}/refuse', { params: { path: { id } }, body: {} })),
      },
      {
        label: texts.approve,
        reason: null,
        question: texts.all.questionOfMany,
        isFor: (one) => isMine(one) && one.grade !== 'destructive',
        change: ({ id }) => answer(api.POST('/api/v1/approvals/{id}/approve', { params: { path: { id } }, body: {} })),
      },
    ],
  };
}
