import { Stack } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { useCursorList } from '../../api/project-query.js';
import { useLiveRefresh } from '../../api/use-live-refresh.js';
import { contactTexts } from '../../texts/contacts.js';
import { FilterBar, FilterSelect, FilterText } from '../../ui/filter-bar.js';
import { Page } from '../../ui/page.js';
import { filterOf, useOrder } from '../../ui/use-sort.js';
import { type ContactSearch, contactStatuses } from './contact-search.js';
import { ContactTable } from './contact-table.js';
import { HeldSenders } from './held-senders.js';
import { PairingCode } from './pairing-code.js';

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
