import { useDebouncedValue } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { answer, api } from '../../../api/client.js';
import { useProjectQuery } from '../../../api/project-query.js';
import { useScope } from '../../../api/session.js';
import { eventTexts } from '../../../texts/events.js';
import { LaterSelect } from '../../../ui/later-select.js';

interface ContactFilterProps {
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

const texts = eventTexts.filters;
const typingMs = 250;
const found = 20;

/** One contact, found by a part of its name. */
export function ContactFilter({ value, onChange }: ContactFilterProps): ReactNode {
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
    { enabled: mayRead && opened },
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
