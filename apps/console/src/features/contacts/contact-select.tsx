import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { answer, api } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { contactTexts } from '../../texts/contacts.js';

interface ContactSelectProps {
  /** The one that is not offered. */
  without: string;
  disabled: boolean;
  onChange: (contact: { id: string; name: string } | null) => void;
}

const typingMs = 250;
const found = 20;
const texts = contactTexts.merge;

/** Another contact, by a part of the name. */
export function ContactSelect({ without, disabled, onChange }: ContactSelectProps): ReactNode {
  const [typed, setTyped] = useState('');
  const [asked] = useDebouncedValue(typed, typingMs);
  const { data } = useProjectQuery(['contacts', 'select', asked], (signal) =>
    answer(api.GET('/api/v1/contacts', { params: { query: { search: asked || undefined, limit: found } }, signal })),
  );
  const offered = (data?.data ?? []).filter(({ id, merged_into }) => id !== without && merged_into === null);
  return (
    <Select
      flex={1}
      label={texts.label}
      placeholder={texts.placeholder}
      searchable
      clearable
      disabled={disabled}
      nothingFoundMessage={texts.nothingFound}
      // The API has looked already.
      filter={({ options }) => options}
      data={offered.map(({ id, name }) => ({ value: id, label: name }))}
      onSearchChange={setTyped}
      onChange={(chosen) => onChange(offered.find(({ id }) => id === chosen) ?? null)}
    />
  );
}
