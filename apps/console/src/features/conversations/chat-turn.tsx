import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { usePrincipalName } from '../../api/principals.js';
import { useProjectId, useProjectQuery } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { conversationTexts } from '../../texts/conversations.js';
import { TextLink } from '../../ui/links.js';
import { MessageState, reasonInRow } from '../../ui/message-state.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';
import { AgentWork } from './agent-work.js';
import classes from '../../ui/chat.module.css';
import { Transcripts, transcriptsIn } from './transcripts.js';
import type { Written } from '../../api/written-words.js';

type Turn = Schema<'ListedSessionTurnView'>;
const texts = conversationTexts.chat;
const waiting: readonly Turn['state'][] = ['waiting', 'held'];
/** No agent has seen these. */
const unseen: readonly Turn['state'][] = [...waiting, 'collected', 'handled'];
const unmarked: readonly Turn['state'][] = ['open', 'succeeded'];
const wentWell: readonly string[] = ['delivered', 'working'];

/** What a sender wrote, and what the agent made of it. */
export function ChatTurn({
  turn,
  session,
  written,
}: {
  turn: Turn;
  session: Schema<'SessionDetailView'>;
  written: Written | undefined;
}): ReactNode {
  const projectId = useProjectId();
  const { message, earlier = [], verified } = turn.input;
  const isYours = waiting.includes(turn.state) && session.status === 'taken_over';
  const answered = session.marks.some(({ kind, at }) => kind === 'reply' && at > turn.created_at);
  return (
    <li className={classes.turn}>
      {[...earlier, message].map((one, index) => (
        <div key={index} className={classes.bubble} data-side="sender">
          {one.message || (transcriptsIn(one.metadata).length === 0 && <em>{texts.noText}</em>)}
          <Transcripts metadata={one.metadata} />
        </div>
      ))}
      <div className={classes.under} data-side="sender">
        {message.sender} · <When at={turn.created_at} />
        {verified && <span>{texts.verified}</span>}
        <TextLink to={{ to: '/p/$projectId/events/$eventId', params: { projectId, eventId: turn.receipt_id } }}>
          {texts.event}
        </TextLink>
        {isYours && !answered && <StatusBadge status={texts.waitsForYou} tone="warn" />}
        {isYours && answered && <StatusBadge status="handled" />}
        {!isYours && <TurnState turn={turn} />}
      </div>
      {!unseen.includes(turn.state) && <AgentWork turn={turn} written={written} />}
    </li>
  );
}

/** A turn that went well needs no word. The same word and reason stand in the lists of events. */
function TurnState({ turn: { state, result } }: { turn: Turn }): ReactNode {
  if (!result || state === 'collected') return unmarked.includes(state) ? null : <StatusBadge status={state} />;
  if (wentWell.includes(result.state)) return null;
  const reason = reasonInRow({ state: result.state, why: result.text });
  return (
    <>
      <MessageState state={result.state} why={result.text} />
      {reason !== null && <span>{reason}</span>}
    </>
  );
}

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
