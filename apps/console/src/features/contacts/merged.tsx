import { Group, Select, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useContact } from '../../api/principals.js';
import { useProjectId, useProjectQuery } from '../../api/project-query.js';
import { useChange } from '../../api/use-change.js';
import { contactTexts } from '../../texts/contacts.js';
import { ActionButton, ConfirmAction } from '../../ui/action-button.js';
import { useReason } from '../../ui/editable.js';
import { ProblemAlert } from '../../ui/notices.js';
import { TextLink } from '../../ui/links.js';

const texts = contactTexts.merge;

/** One person with several contacts: merge and unmerge. */
export function Merged({ contact }: { contact: Schema<'ContactDetailView'> }): ReactNode {
  if (contact.merged_into) return <OtherContact id={contact.merged_into} undo={contact.id} text={texts.countedTo} />;
  return (
    <Stack gap="md">
      {contact.merged.map((id) => (
        <OtherContact key={id} id={id} undo={id} text={texts.counted} />
      ))}
      <MergeInto contact={contact} />
    </Stack>
  );
}

interface OtherContactProps {
  id: string;
  /** The contact that becomes separate again. */
  undo: string;
  text: string;
}

function OtherContact({ id, undo, text }: OtherContactProps): ReactNode {
  const projectId = useProjectId();
  const { data: other } = useContact(id);
  const reason = useReason('contacts:write');
  const unmerge = useChange(
    () => answer(api.POST('/api/v1/contacts/{id}/unmerge', { params: { path: { id: undo } } })),
    'contacts',
  );
  return (
    <Group gap="sm">
      <Text component="div" flex={1} miw={200}>
        {text}{' '}
        <TextLink to={{ to: '/p/$projectId/contacts/$contactId', params: { projectId, contactId: id } }}>
          {other?.name ?? id}
        </TextLink>
      </Text>
      <ActionButton
        size="compact-sm"
        variant="default"
        reason={reason}
        loading={unmerge.isPending}
        onClick={() => unmerge.mutate()}
      >
        {texts.unmerge}
      </ActionButton>
      <ProblemAlert error={unmerge.error} />
    </Group>
  );
}

function MergeInto({ contact }: { contact: Schema<'ContactDetailView'> }): ReactNode {
  const reason = useReason('contacts:write');
  const [into, setInto] = useState<{ id: string; name: string } | null>(null);
  const merge = useChange(
    (other: string) =>
      answer(api.POST('/api/v1/contacts/{id}/merge', { params: { path: { id: contact.id } }, body: { into: other } })),
    'contacts',
  );
  return (
    <Stack gap="xs" maw={520}>
      <Group align="flex-end" gap="xs">
        <ContactSelect without={contact.id} disabled={reason !== null} onChange={setInto} />
        <ConfirmAction
          reason={reason ?? (into ? null : texts.chooseFirst)}
          loading={merge.isPending}
          question={into && texts.question(contact.name, into.name)}
          confirm={texts.action}
          onConfirm={() => into && merge.mutate(into.id)}
        >
          {texts.action}
        </ConfirmAction>
      </Group>
      <ProblemAlert error={merge.error} />
    </Stack>
  );
}

interface ContactSelectProps {
  /** The contact that is not offered. */
  without: string;
  disabled: boolean;
  onChange: (contact: { id: string; name: string } | null) => void;
}

const typingMs = 250;
const found = 20;

/** Finds another contact by a part of its name. */
function ContactSelect({ without, disabled, onChange }: ContactSelectProps): ReactNode {
  const [typed, setTyped] = useState('');
  const [asked] = useDebouncedValue(typed, typingMs);
  const { data } = useProjectQuery(
    ['contacts', 'select', asked],
    (signal) =>
      answer(api.GET('/api/v1/contacts', { params: { query: { search: asked || undefined, limit: found } }, signal })),
    // What is offered does not go away under the pointer.
    { keep: true },
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
      // The API has filtered already.
      filter={({ options }) => options}
      data={offered.map(({ id, name }) => ({ value: id, label: name }))}
      onSearchChange={setTyped}
      onChange={(chosen) => onChange(offered.find(({ id }) => id === chosen) ?? null)}
    />
  );
}
