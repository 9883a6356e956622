import { Select, Stack, Text, Textarea } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { kindOf, usePrincipalName, usePrincipals } from '../../api/principals.js';
import { useScope } from '../../api/session.js';
import { useChange } from '../../api/use-change.js';
import { conversationTexts } from '../../texts/conversations.js';
import { ActionButton } from '../../ui/action-button.js';
import { useReason } from '../../ui/editable.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { When } from '../../ui/when.js';

type Session = Schema<'SessionDetailView'>;

/** Who takes care of a session, among the members that the reader may see. */
export function Assignee({ session: { id, assigned_to: to } }: { session: Session }): ReactNode {
  const mayWrite = useScope('channels:write');
  const nameOf = usePrincipalName();
  const people = usePrincipals().filter(({ subject }) => kindOf(subject) === 'user');
  const assign = useChange(
    (assigned_to: string | null) =>
      answer(
        api.PUT('/api/v1/sessions/{id}/assignee', {
          params: { path: { id } },
          body: assigned_to === null ? {} : { assigned_to },
        }),
      ),
    'conversations',
  );
  const texts = conversationTexts.participants;
  const known = people.some(({ subject }) => subject === to) || to === null;
  const data = [...people, ...(known ? [] : [{ subject: to, name: nameOf(to) }])];
  return (
    <>
      <Select
        aria-label={texts.assigned}
        size="xs"
        placeholder={texts.nobody}
        clearable
        disabled={!mayWrite}
        data={data.map(({ subject, name }) => ({ value: subject, label: name }))}
        value={to}
        onChange={(subject) => assign.mutate(subject)}
      />
      <ProblemAlert error={assign.error} />
    </>
  );
}

/** What the team writes to each other. */
export function SessionNotes({ session: { id, notes } }: { session: Session }): ReactNode {
  const texts = conversationTexts.notes;
  const nameOf = usePrincipalName(notes.map(({ made_by: by }) => by));
  const reason = useReason('channels:write');
  const [text, setText] = useState('');
  const add = useChange(
    () => answer(api.POST('/api/v1/sessions/{id}/notes', { params: { path: { id } }, body: { text: text.trim() } })),
    'conversations',
  );
  return (
    <Section title={texts.title}>
      <Stack gap="sm">
        {notes.map((note) => (
          <div key={note.id}>
            <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              {note.text}
            </Text>
            <Text size="xs" c="dimmed">
              {nameOf(note.made_by)} · <When at={note.at} />
            </Text>
          </div>
        ))}
        <Textarea
          aria-label={texts.label}
          placeholder={texts.hint}
          autosize
          minRows={2}
          maxLength={10_000}
          disabled={reason !== null}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <ProblemAlert error={add.error} />
        <ActionButton
          size="xs"
          variant="default"
          reason={reason}
          loading={add.isPending}
          disabled={text.trim() === ''}
          onClick={() => add.mutate(undefined, { onSuccess: () => setText('') })}
        >
          {texts.add}
        </ActionButton>
      </Stack>
    </Section>
  );
}
