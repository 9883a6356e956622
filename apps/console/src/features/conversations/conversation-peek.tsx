import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { ProblemAlert } from '../../ui/notices.js';
import classes from '../../ui/chat.module.css';
import { ChatMark, ChatTurn } from './chat-turn.js';
import { useConversation } from './use-conversation.js';

const newest = 5;

/** The end of a conversation. Whoever peeks has not read it: it stays unread. */
export default function ConversationPeek({ sessionId }: { sessionId: string }): ReactNode {
  const { session, turns, entries } = useConversation(sessionId);
  const { data, error } = session;
  if (error ?? turns.error) return <ProblemAlert error={error ?? turns.error} />;
  if (!data || turns.loading) return <Skeleton height={160} />;
  return (
    <ol className={classes.entries}>
      {entries
        .slice(-newest)
        .map(({ at, turn, mark }) =>
          turn ? (
            <ChatTurn key={turn.id} turn={turn} session={data} written={undefined} />
          ) : (
            <ChatMark key={`${at} ${mark.kind}`} mark={mark} />
          ),
        )}
    </ol>
  );
}
