import type { ReactNode } from 'react';
import { eventTexts } from '../../../texts/events.js';
import { uiTexts } from '../../../texts/ui.js';
import { FilterBar, FilterSelect, FilterText } from '../../../ui/filter-bar.js';
import { useApps } from '../../../api/apps.js';
import { eventOutcomes, type EventSearch, spanNames } from './event-search.js';

interface EventFiltersProps {
  filter: EventSearch;
  filtered: boolean;
  onChange: (patch: Partial<EventSearch>) => void;
  onClear: () => void;
  end: ReactNode;
}

const texts = eventTexts.filters;
const outcomes = eventOutcomes.map((value) => ({ value, label: uiTexts.outcomes[value] ?? value }));
const times = spanNames.map((value) => ({ value, label: texts.times[value] }));

export function EventFilters({ filter, filtered, onChange, onClear, end }: EventFiltersProps): ReactNode {
  const apps = useApps();
  return (
    <FilterBar filtered={filtered} onClear={onClear} end={end}>
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
      <FilterSelect
        label={texts.since}
        any={texts.anyTime}
        value={filter.since}
        options={times}
        onChange={(since) => onChange({ since })}
      />
    </FilterBar>
  );
}
