import { Button, Skeleton } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { useContact } from '../../api/principals.js';
import { useLiveRefresh } from '../../api/event-stream.js';
import { answer, api, type Schema } from '../../api/client.js';
import { useScope } from '../../api/session.js';
import { conversationTexts } from '../../texts/conversations.js';
import { LiveDot } from '../../ui/live-dot.js';
import { Page } from '../../ui/page.js';
import { ProblemAlert } from '../../ui/notices.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { ChatMark, ChatTurn } from './chat-turn.js';
import classes from '../../ui/chat.module.css';
import { Composer } from './composer.js';
import { Participants } from './participants.js';
import { type Conversation, topicOf, useConversation } from './use-conversation.js';
import { useEnd } from './use-end.js';
import { useWrittenWords } from '../../api/written-words.js';

const route = getRouteApi('/p/$projectId/conversations/$sessionId');
const texts = conversationTexts;

export function ConversationPage(): ReactNode {
  const { projectId, sessionId } = route.useParams();
  const conversation = useConversation(sessionId);
  const stream = useLiveRefresh('conversations');
  const { data: session, error, refetch } = conversation.session;
  const whom = useWhom(session);
  useSeen(session);
  return (
    <Page
      title={whom ?? texts.one}
      mark={session && <StatusBadge status={session.status} />}
      breadcrumbs={[{ label: texts.title, to: { to: '/p/$projectId/conversations', params: { projectId } } }]}
      actions={<LiveDot state={stream} />}
    >
      {error && !session && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!session && !error && <Skeleton height={420} />}
      {session && (
        <div className={classes.page}>
          <Chat conversation={conversation} session={session} />
          <Participants session={session} />
        </div>
      )}
    </Page>
  );
}

function Chat({
  conversation,
  session,
}: {
  conversation: Conversation;
  session: Schema<'SessionDetailView'>;
}): ReactNode {
  const { turns, entries } = conversation;
  const written = useWrittenWords({
    path: `/api/v1/sessions/${session.id}/stream`,
    enabled: useScope('events:read'),
    listed: 'conversations',
  });
  const section = useRef<HTMLElement>(null);
  const leaveEnd = useEnd(section, !turns.loading);
  return (
    <section ref={section} className={classes.chat} aria-label={texts.one}>
      <ol className={classes.entries} aria-live="polite">
        {turns.hasMore && (
          <li className={classes.middle}>
            <Button
              variant="subtle"
              color="gray"
              size="compact-sm"
              loading={turns.loadingMore}
              onClick={() => {
                leaveEnd();
                turns.loadMore();
              }}
            >
              {texts.earlier}
            </Button>
          </li>
        )}
        {turns.loading && <Skeleton height={200} />}
        {turns.error && <ProblemAlert error={turns.error} onRetry={turns.refresh} />}
        {(turns.loading ? [] : entries).map(({ at, turn, mark }) =>
          turn ? (
            <ChatTurn key={turn.id} turn={turn} session={session} written={written.get(turn.id)} />
          ) : (
            <ChatMark key={`${at} ${mark.kind}`} mark={mark} />
          ),
        )}
      </ol>
      <Composer session={session} lastTurnId={turns.rows[0]?.id ?? null} />
    </section>
  );
}

/**
 * Who a session is with: the contact by name, else what its messages have in common.
 * @param session undefined while it loads
 */
function useWhom(session: Schema<'SessionDetailView'> | undefined): string | undefined {
  const { data: contact } = useContact(session?.contact_id ?? null);
  return contact?.name ?? (session && topicOf(session));
}

/** Whoever looks at a session has read it, also what comes meanwhile. */
function useSeen(session: Schema<'SessionDetailView'> | undefined): void {
  const { mutate } = useMutation({
    mutationFn: (id: string) => answer(api.PUT('/api/v1/sessions/{id}/seen', { params: { path: { id } } })),
  });
  const { id, epoch } = session ?? {};
  useEffect(() => {
    if (id !== undefined) mutate(id);
  }, [id, epoch, mutate]);
}
