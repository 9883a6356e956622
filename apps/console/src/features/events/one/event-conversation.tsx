import { SimpleGrid, Skeleton, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useScope } from '../../../api/session.js';
import { eventPageTexts } from '../../../texts/event.js';
import { ProblemAlert } from '../../../ui/notices.js';
import { Section } from '../../../ui/page.js';
import { StatusBadge } from '../../../ui/status-badge.js';
import classes from './event-conversation.module.css';
import type { EventDetail } from './steps.js';
import { answerOf, useDeliveries, useTurn } from './use-event.js';

interface EventConversationProps {
  event: EventDetail;
  /** The answer is below the message. */
  narrow?: boolean;
}

/** The message and the answer, side by side, before any detail. */
export function EventConversation({ event, narrow = false }: EventConversationProps): ReactNode {
  const first = event.messages[0];
  if (!first) return null;
  return (
    <SimpleGrid cols={narrow ? 1 : { base: 1, md: 2 }} spacing="md">
      <Section title={eventPageTexts.message}>
        {event.messages.map(({ id, message }) => (
          <div key={id} className={classes.entry}>
            <Text size="sm" c="dimmed">
              {eventPageTexts.from} {message.sender}
            </Text>
            <p className={classes.text}>{message.message}</p>
          </div>
        ))}
      </Section>
      <Reply event={event} />
    </SimpleGrid>
  );
}

function Reply({ event }: { event: EventDetail }): ReactNode {
  const deliveries = useDeliveries(event.id, useScope('deliveries:read'));
  const lastTurn = event.turns.at(-1);
  const turn = useTurn(event.id, lastTurn?.collected_into ?? lastTurn?.id ?? null, useScope('agents:read'));
  const sent = deliveries.data ?? [];
  const written = turn.data?.reply_text;
  const busy = answerOf(event).tone === 'busy';
  // Without both, it would say for a moment that nothing was sent.
  const reading = deliveries.isLoading || turn.isLoading;
  const failed = [deliveries, turn].find(({ error }) => error !== null);
  return (
    <Section title={sent.length > 1 ? eventPageTexts.replies : eventPageTexts.reply}>
      {sent.map(({ id, state, content }) => (
        <div key={id} className={classes.entry}>
          <Text size="sm" c="dimmed" component="div">
            {content.target.channel_address && `${eventPageTexts.sentTo} ${content.target.channel_address} `}
            <StatusBadge status={state} />
          </Text>
          <p className={classes.text}>{content.text}</p>
        </div>
      ))}
      {reading && <Skeleton height={64} />}
      {failed && <ProblemAlert error={failed.error} onRetry={() => void failed.refetch()} />}
      {!reading && !deliveries.error && sent.length === 0 && written && (
        <div className={classes.entry}>
          <Text size="sm" c="dimmed">
            {turn.data?.rehearsal
              ? eventPageTexts.rehearsed
              : busy
                ? eventPageTexts.replyWritten
                : eventPageTexts.replyNotSent}
          </Text>
          <p className={classes.text}>{written}</p>
        </div>
      )}
      {!reading && !failed && sent.length === 0 && !written && (
        <Text c="dimmed">{busy ? eventPageTexts.noReplyYet : eventPageTexts.noReply}</Text>
      )}
    </Section>
  );
}
