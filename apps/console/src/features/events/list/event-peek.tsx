import { Skeleton, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { MessageState } from '../../../ui/message-state.js';
import { ProblemAlert } from '../../../ui/notices.js';
import { EventConversation } from '../one/event-conversation.js';
import { useEvent } from '../one/use-event.js';

/** An event at a glance: what became of it and why, the message and the reply. */
export default function EventPeek({ id }: { id: string }): ReactNode {
  const { data: event, error } = useEvent(id);
  if (error && !event) return <ProblemAlert error={error} />;
  if (!event) return <Skeleton height={160} />;
  return (
    <Stack gap="sm">
      <div>
        <MessageState state={event.state} why={event.why} />
        <Text mt={4}>{event.why}</Text>
      </div>
      <EventConversation event={event} narrow />
    </Stack>
  );
}
