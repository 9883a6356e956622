import type { ReactNode } from 'react';
import type { Schema } from '../../api/named-schema.js';
import { conversationTexts } from '../../texts/conversations.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { TextLink } from '../../ui/text-link.js';
import { When } from '../../ui/when.js';
import { AgentWork } from './agent-work.js';
import classes from './chat.module.css';
import { useProjectId } from '../../api/project-query.js';

type Turn = Schema<'SessionTurnView'>;
const texts = conversationTexts.chat;
const waiting: readonly Turn['state'][] = ['waiting', 'held'];
/** No agent has seen these. */
const unseen: readonly Turn['state'][] = [...waiting, 'collected', 'handled'];
const said: readonly Turn['state'][] = ['open', 'succeeded'];

/** What a sender wrote, and what the agent made of it. */
export function ChatTurn({ turn, session }: { turn: Turn; session: Schema<'SessionDetailView'> }): ReactNode {
  const projectId = useProjectId();
  const { message, earlier = [], verified } = turn.input;
  const isYours = waiting.includes(turn.state) && session.status === 'taken_over';
  const answered = session.marks.some(({ kind, at }) => kind === 'reply' && at > turn.created_at);
  return (
    <li className={classes.turn}>
      {[...earlier, message].map((one, index) => (
        <div key={index} className={classes.bubble} data-side="sender">
          {one.message || <em>{texts.noText}</em>}
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
        {!isYours && !said.includes(turn.state) && <StatusBadge status={turn.state} />}
      </div>
      {!unseen.includes(turn.state) && <AgentWork turn={turn} />}
    </li>
  );
}
