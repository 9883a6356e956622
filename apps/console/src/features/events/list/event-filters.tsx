import type { ReactNode } from 'react';
import { eventTexts } from '../../../texts/events.js';
import { uiTexts } from '../../../texts/ui.js';
import { useApps } from '../../../api/apps.js';
import { FilterBar, FilterSelect, FilterText } from '../../../ui/filter-bar.js';
import { FilterTimes } from '../../../ui/filter-times.js';
import { ContactFilter } from './contact-filter.js';
import { eventOutcomes, eventResults, type EventSearch, spanNames } from './event-search.js';

interface EventFiltersProps {
  filter: EventSearch;
  onChange: (patch: Partial<EventSearch>) => void;
}

const texts = eventTexts.filters;
const outcomes = [...eventResults, ...eventOutcomes].map((value) => ({
  value,
  label: uiTexts.outcomes[value] ?? value,
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
