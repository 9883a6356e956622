import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { usePrincipalName } from '../../api/principals.js';
import { useProjectQuery } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import type { Schema } from '../../api/named-schema.js';
import { conversationTexts } from '../../texts/conversations.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';
import classes from './chat.module.css';

type Mark = Schema<'SessionMarkView'>;
const settled = ['delivered', 'dead', 'unknown', 'expired'];
const inFlightMs = 1_500;

/** What a person did in a conversation: took over, replied, handed back. */
export function ChatMark({ mark }: { mark: Mark }): ReactNode {
  const nameOf = usePrincipalName();
  const who = nameOf(mark.made_by);
  if (mark.kind === 'reply' && mark.delivery_id)
    return <PersonsReply deliveryId={mark.delivery_id} who={who} at={mark.at} />;
  return (
    <li className={classes.middle}>
      {conversationTexts.marks[mark.kind](who)} · <When at={mark.at} />
    </li>
  );
}

function PersonsReply({ deliveryId, who, at }: { deliveryId: string; who: string; at: string }): ReactNode {
  const { data: delivery } = useProjectQuery(
    ['deliveries', deliveryId],
    (signal) => answer(api.GET('/api/v1/deliveries/{id}', { params: { path: { id: deliveryId } }, signal })),
    {
      enabled: useScope('deliveries:read'),
      awaited: true,
      refetchInterval: (last) => (last && settled.includes(last.state) ? false : inFlightMs),
    },
  );
  return (
    <li className={classes.turn}>
      <div className={classes.bubble} data-side="person">
        {delivery?.content.text ?? '…'}
      </div>
      <div className={classes.under} data-side="person">
        {who} · <When at={at} />
        {delivery && <StatusBadge status={delivery.state} />}
        {delivery?.error_detail && <span>{delivery.error_detail}</span>}
      </div>
    </li>
  );
}
