import { useDebouncedValue } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { answer, api } from '../../../api/client.js';
import { useProjectQuery } from '../../../api/project-query.js';
import { useScope } from '../../../api/session.js';
import { own } from '../../../own.js';
import { eventTexts } from '../../../texts/events.js';
import { uiTexts } from '../../../texts/ui.js';
import { useApps } from '../../../api/choices.js';
import { FilterBar, FilterSelect, FilterText } from '../../../ui/filter-bar.js';
import { FilterTimes } from '../../../ui/filter-times.js';
import { LaterSelect } from '../../../ui/later.js';
import { eventOutcomes, eventResults, type EventSearch, spanNames } from './event-search.js';

interface EventFiltersProps {
  filter: EventSearch;
  onChange: (patch: Partial<EventSearch>) => void;
}

const texts = eventTexts.filters;
const outcomes = [...eventResults, ...eventOutcomes].map((value) => ({
  value,
  label: own(uiTexts.outcomes, value) ?? value,
}));
const times = spanNames.map((value) => ({ value, label: texts.times[value] }));

export function EventFilters({ filter, onChange }: EventFiltersProps): ReactNode {
  const apps = useApps();
  return (
    <FilterBar>
      <FilterText label={texts.text} value={filter.text} minLength={2} onChange={(text) => onChange({ text })} />
      <FilterSelect
        label={texts.app}
        any={texts.anyApp}
        value={filter.app}
        options={(apps.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        onChange={(app) => onChange({ app })}
      />
      <FilterSelect
        label={texts.outcome}
        any={texts.anyOutcome}
        value={filter.outcome}
        options={outcomes}
        onChange={(outcome) => onChange({ outcome })}
      />
      <FilterText label={texts.type} value={filter.type} onChange={(type) => onChange({ type })} />
      <FilterText label={texts.sender} value={filter.sender} onChange={(sender) => onChange({ sender })} />
      <ContactFilter value={filter.contact} onChange={(contact) => onChange({ contact })} />
      <FilterTimes
        any={texts.anyTime}
        spans={times}
        since={filter.since}
        until={filter.until}
        onChange={(range) => onChange(range)}
      />
    </FilterBar>
  );
}

interface ContactFilterProps {
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

const typingMs = 250;
const found = 20;

/** One contact, found by a part of its name. */
function ContactFilter({ value, onChange }: ContactFilterProps): ReactNode {
  const mayRead = useScope('contacts:read');
  const [typed, setTyped] = useState('');
  const [opened, setOpened] = useState(false);
  const [search] = useDebouncedValue(typed.trim(), typingMs);
  const contacts = useProjectQuery(
    ['contacts', 'named', search],
    async (signal) => {
      const query = { search: search || undefined, limit: found };
      return (await answer(api.GET('/api/v1/contacts', { params: { query }, signal }))).data;
    },
    { enabled: mayRead && opened, keep: true },
  );
  const chosen = useProjectQuery(
    ['contacts', 'one', value],
    (signal) => answer(api.GET('/api/v1/contacts/{id}', { params: { path: { id: value ?? '' } }, signal })),
    { enabled: mayRead && value !== undefined },
  );
  if (!mayRead) return null;
  const options = new Map((contacts.data ?? []).map(({ id, name }) => [id, name]));
  if (value !== undefined) options.set(value, chosen.data?.name ?? value);
  return (
    <LaterSelect
      aria-label={texts.contact}
      placeholder={texts.anyContact}
      size="sm"
      searchable
      clearable
      nothingFoundMessage={texts.noContact}
      data={[...options].map(([id, label]) => ({ value: id, label }))}
      value={value ?? null}
      onDropdownOpen={() => setOpened(true)}
      onSearchChange={setTyped}
      onChange={(next) => onChange(next ?? undefined)}
    />
  );
}
