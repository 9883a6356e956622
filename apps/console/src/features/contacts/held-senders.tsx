import { Badge, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { useProjectId, useProjectQuery } from '../../api/project-query.js';
import type { Schema } from '../../api/named-schema.js';
import { contactTexts } from '../../texts/contacts.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { ListRow, RowList } from '../../ui/row-list.js';
import { Section } from '../../ui/section.js';
import { TextLink } from '../../ui/text-link.js';
import { When } from '../../ui/when.js';
import { Admission } from './admission.js';

const texts = contactTexts.held;
const most = 100;
/** Senders arrive while somebody looks. */
const againMs = 5_000;

/** Senders whose messages wait until a person admits them. They come first. */
export function HeldSenders(): ReactNode {
  const { data, error, refetch } = useProjectQuery(
    ['contacts', 'held'],
    (signal) => answer(api.GET('/api/v1/contacts', { params: { query: { status: 'unknown', limit: most } }, signal })),
    { refetchInterval: againMs },
  );
  if (error) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  // In most projects nobody waits: a placeholder would move the list for nothing.
  if (!data) return null;
  const waiting = data.data.filter(({ merged_into }) => merged_into === null);
  if (waiting.length === 0) return null;
  return (
    <Section
      title={texts.title}
      actions={<Badge variant="light">{texts.count(waiting.length, data.next_cursor !== null)}</Badge>}
      flush
    >
      <RowList>
        {waiting.map((contact) => (
          <HeldSender key={contact.id} contact={contact} />
        ))}
      </RowList>
    </Section>
  );
}

function HeldSender({ contact }: { contact: Schema<'ContactView'> }): ReactNode {
  const { id, name, created_at } = contact;
  const projectId = useProjectId();
  const { data } = useProjectQuery(['contacts', id, 'newest'], (signal) =>
    answer(api.GET('/api/v1/contacts/{id}/messages', { params: { path: { id }, query: { limit: 1 } }, signal })),
  );
  const newest = data?.data[0];
  return (
    <ListRow>
      <div style={{ flex: 1, minWidth: 200 }}>
        <Text component="div" fw={500}>
          <TextLink to={{ to: '/p/$projectId/contacts/$contactId', params: { projectId, contactId: id } }}>
            {name}
          </TextLink>
        </Text>
        <Text size="sm" c="dimmed" component="div" lineClamp={2}>
          {newest && `“${newest.message.message}” · `}
          <When at={newest?.created_at ?? created_at} relative />
        </Text>
      </div>
      <Admission contact={contact} size="compact-sm" />
    </ListRow>
  );
}
