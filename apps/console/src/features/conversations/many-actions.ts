import { answer, api, type Schema } from '../../api/client.js';
import { useSession } from '../../api/session.js';
import { conversationTexts } from '../../texts/conversations.js';
import { useReason } from '../../ui/editable.js';
import type { ManyAction } from '../../ui/many-bar.js';

type Session = Schema<'ListedSessionView'>;
const texts = conversationTexts.many;

/** What is done with several conversations. */
export function useManyActions(): ManyAction<Session>[] {
  const reason = useReason('channels:write');
  const { member } = useSession();
  const me = `user:${member.id}`;
  return [
    {
      label: texts.assign,
      reason,
      isFor: ({ assigned_to: to }) => to !== me,
      change: ({ id }) =>
        answer(api.PUT('/api/v1/sessions/{id}/assignee', { params: { path: { id } }, body: { assigned_to: me } })),
    },
    {
      label: texts.resolve,
      reason,
      isFor: ({ status }) => status === 'active' || status === 'taken_over',
      change: ({ id }) => answer(api.POST('/api/v1/sessions/{id}/resolve', { params: { path: { id } } })),
    },
  ];
}
