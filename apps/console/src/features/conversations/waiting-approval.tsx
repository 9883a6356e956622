import { Alert } from '@mantine/core';
import { ShieldQuestion } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { conversationTexts } from '../../texts/conversations.js';
import { JsonView } from '../../ui/json-view.js';

const texts = conversationTexts.chat;
const most = 100;

/** The calls of a turn that wait for a person's word. */
export function WaitingApproval({ turnId, eventId }: { turnId: string; eventId: string }): ReactNode {
  const { data } = useProjectQuery(['conversations', 'approvals', eventId], (signal) =>
    answer(
      api.GET('/api/v1/approvals', { params: { query: { state: 'pending', event_id: eventId, limit: most } }, signal }),
    ),
  );
  return data?.data
    .filter(({ turn_id }) => turn_id === turnId)
    .map(({ id, tool, arguments: args }) => (
      <Alert
        key={id}
        variant="light"
        color="yellow"
        icon={<ShieldQuestion size={18} aria-hidden />}
        title={texts.asks(tool)}
        w="min(520px, 86%)"
        style={{ alignSelf: 'flex-end' }}
      >
        <JsonView label={texts.toolIn} value={args} />
      </Alert>
    ));
}
