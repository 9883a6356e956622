import { Anchor, Badge, Skeleton, Stack, Table, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { download, type Schema } from '../../../../api/client.js';
import { useScope } from '../../../../api/session.js';
import { eventPageTexts } from '../../../../texts/event.js';
import { CodeBlock, jsonText, visibleText } from '../../../../ui/code-block.js';
import { ProblemAlert } from '../../../../ui/notices.js';
import type { EventDetail } from '../steps.js';
import { useRequest } from '../use-event.js';
import { eventTexts } from '../../../../texts/events.js';
import { Facts } from '../../../../ui/facts.js';
import { keyed } from '../../../../ui/keyed.js';
import { JsonView } from '../../../../ui/json-view.js';

const texts = eventPageTexts.request;

/** The bytes as they arrived, and the headers without secrets. */
export function RequestPart({ event }: { event: EventDetail }): ReactNode {
  const mayRead = useScope('events:read_body');
  const byWebhook = event.app_id?.startsWith('app_') === true;
  const { data: request, error, refetch } = useRequest(event.id, mayRead && byWebhook);
  if (!byWebhook) return <Text c="dimmed">{texts.gone}</Text>;
  if (!mayRead) return <Text c="dimmed">{texts.noScope}</Text>;
  if (error) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (!request) return <Skeleton height={160} />;
  return (
    <>
      <Text size="sm" className="mono" style={{ overflowWrap: 'anywhere' }}>
        {request.method} {request.path}
      </Text>
      <Values label={texts.headers} values={request.headers} />
      {request.query.length > 0 && <Values label={texts.query} values={request.query} />}
      <Body request={request} />
    </>
  );
}

function Values({ label, values }: { label: string; values: Schema<'SentValue'>[] }): ReactNode {
  return (
    <Table aria-label={label} verticalSpacing={3} horizontalSpacing="xs" layout="fixed" fz="sm">
      <Table.Thead>
        <Table.Tr>
          <Table.Th w={{ base: '45%', sm: '34%' }}>{label}</Table.Th>
          <Table.Th>{texts.value}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {keyed(values, ({ name, value }) => `${name} ${value}`).map(({ key, row: { name, value, masked } }) => (
          <Table.Tr key={key}>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>
              <code>{name}</code>
            </Table.Td>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>
              <code>{value}</code>{' '}
              {masked && (
                <Badge size="xs" variant="default" tt="none">
                  {texts.masked}
                </Badge>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Body({ request }: { request: Schema<'EventRequestView'> }): ReactNode {
  const { body, body_is_whole: whole, bytes, event_id } = request;
  const save = useMutation({ mutationFn: () => download(`/api/v1/events/${event_id}/body`, event_id) });
  const link = (
    <Anchor component="button" type="button" size="sm" onClick={() => save.mutate()}>
      {texts.download}
    </Anchor>
  );
  if (body === null)
    return (
      <Text size="sm">
        {texts.binary} {link}
      </Text>
    );
  if (bytes === 0) return <Text size="sm">{texts.empty}</Text>;
  return (
    <div>
      <CodeBlock label={texts.body} code={visibleText(readable(body))} wrap />
      {!whole && (
        <Text size="sm" mt={4}>
          {texts.cut} {link}
        </Text>
      )}
    </div>
  );
}

/** JSON is easier to read on several lines; anything else is shown as it is. */
function readable(body: string): string {
  try {
    return jsonText(JSON.parse(body));
  } catch {
    return body;
  }
}

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
