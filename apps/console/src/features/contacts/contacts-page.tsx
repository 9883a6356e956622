import { Badge, Stack, Text } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useLiveRefresh } from '../../api/event-stream.js';
import { useCursorList, useProjectId, useProjectQuery } from '../../api/project-query.js';
import { contactStatuses } from '../../app/search-values.js';
import { contactTexts } from '../../texts/contacts.js';
import { FilterBar, FilterSelect, FilterText } from '../../ui/filter-bar.js';
import { TextLink } from '../../ui/links.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Page, Section } from '../../ui/page.js';
import { ListRow, RowList } from '../../ui/rows.js';
import { filterOf, useOrder } from '../../ui/use-sort.js';
import { When } from '../../ui/when.js';
import { Admission } from './admission.js';
import { ContactTable } from './contact-table.js';
import { PairingCode } from './identities.js';
import type { ContactSearch } from './routes.js';

const route = getRouteApi('/p/$projectId/contacts');
const texts = contactTexts.filters;
const pageSize = 50;
const statuses = contactStatuses.map((value) => ({ value, label: contactTexts.statuses[value] }));

export function ContactsPage(): ReactNode {
  const filter = filterOf(route.useSearch());
  const navigate = useNavigate({ from: '/p/$projectId/contacts' });
  const change = (patch: Partial<ContactSearch>): void =>
    void navigate({ search: (before) => ({ ...before, ...patch }), replace: true });
  const order = useOrder('since');
  const list = useCursorList(['contacts', 'list', filter, order], (cursor, signal) =>
    answer(api.GET('/api/v1/contacts', { params: { query: { ...filter, order, limit: pageSize, cursor } }, signal })),
  );
  useLiveRefresh('contacts');
  const filtered = Object.keys(filter).length > 0;
  return (
    <Page title={contactTexts.title} description={contactTexts.description} actions={<PairingCode />}>
      <Stack gap="md">
        {!filtered && <HeldSenders />}
        <div>
          <FilterBar filtered={filtered} onClear={() => void navigate({ search: {} })}>
            <FilterText label={texts.search} value={filter.search} onChange={(search) => change({ search })} />
            <FilterSelect
              label={texts.status}
              any={texts.anyStatus}
              value={filter.status}
              options={statuses}
              onChange={(status) => change({ status })}
            />
          </FilterBar>
          <ContactTable list={list} filtered={filtered} />
        </div>
      </Stack>
    </Page>
  );
}

const heldTexts = contactTexts.held;
const most = 100;
/** Senders arrive while somebody looks. */
const pollMs = 5_000;

/** Senders whose messages wait until a person admits them. They come first. */
function HeldSenders(): ReactNode {
  const { data, error, refetch } = useProjectQuery(
    ['contacts', 'held'],
    (signal) => answer(api.GET('/api/v1/contacts', { params: { query: { status: 'unknown', limit: most } }, signal })),
    { refetchInterval: pollMs },
  );
  if (error) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  // In most projects nobody waits: a placeholder would move the list for nothing.
  if (!data) return null;
  const waiting = data.data.filter(({ merged_into }) => merged_into === null);
  if (waiting.length === 0) return null;
  return (
    <Section
      title={heldTexts.title}
      actions={<Badge variant="light">{heldTexts.count(waiting.length, data.next_cursor !== null)}</Badge>}
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
