import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { eventTexts } from '../../../../texts/events.js';
import { eventPageTexts } from '../../../../texts/event.js';
import { Facts } from '../../../../ui/facts.js';
import { JsonView } from '../../../../ui/json-view.js';
import type { EventDetail } from '../stations.js';

/** What the adapter, or the built-in Webhook App, parsed. */
export function ParsedPart({ event }: { event: EventDetail }): ReactNode {
  return (
    <Stack gap="sm">
      {event.messages.map(({ id, message }) => (
        <Stack key={id} gap={6}>
          <Facts
            of={[
              [eventTexts.columns.type, <code>{message.event_type}</code>],
              [eventTexts.columns.sender, message.sender],
              [eventPageTexts.parsed.thread, message.thread_id],
              [eventPageTexts.parsed.key, message.dedup_key],
            ]}
          />
          {message.metadata && Object.keys(message.metadata).length > 0 && (
            <JsonView label={eventPageTexts.test.metadata} value={message.metadata} depth={1} />
          )}
        </Stack>
      ))}
    </Stack>
  );
}
