import { Button, Group, NumberInput, Skeleton, Stack, TagsInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { Inbox } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useLiveRefresh } from '../../api/event-stream.js';
import { useContact } from '../../api/principals.js';
import { useCursorList, useProjectId } from '../../api/project-query.js';
import { contactTexts } from '../../texts/contacts.js';
import { uiTexts } from '../../texts/ui.js';
import { CopyText } from '../../ui/copy.js';
import { DataTable } from '../../ui/data-table.js';
import { Editable } from '../../ui/editable.js';
import { TextLink } from '../../ui/links.js';
import { NameField } from '../../ui/name-field.js';
import { MessageState, reasonInRow } from '../../ui/message-state.js';
import { AppName, NameOver } from '../../ui/name-of.js';
import { EmptyState, errorBeside, fieldError, ProblemAlert } from '../../ui/notices.js';
import { Page, Section } from '../../ui/page.js';
import { useEditor } from '../../ui/use-editor.js';
import { When } from '../../ui/when.js';
import { Admission } from './admission.js';
import { ContactStatus } from './contact-table.js';
import { Erasure } from './erasure.js';
import { Identities } from './identities.js';
import { Memories } from './memories.js';
import { Merged } from './merged.js';

const route = getRouteApi('/p/$projectId/contacts/$contactId');

export function ContactPage(): ReactNode {
  const { projectId, contactId } = route.useParams();
  const { data: contact, error, refetch } = useContact(contactId);
  useLiveRefresh('contacts');
  return (
    <Page
      title={contact?.name ?? contactTexts.one}
      mark={contact && <ContactStatus contact={contact} />}
      description={<CopyText text={contactId} />}
      breadcrumbs={[{ label: contactTexts.title, to: { to: '/p/$projectId/contacts', params: { projectId } } }]}
      actions={contact && contact.merged_into === null && <Admission contact={contact} />}
    >
      {error && !contact && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!contact && !error && <Skeleton height={320} />}
      {contact && (
        <Stack gap="md">
          <Section title={contactTexts.form.title}>
            <Editable scope="contacts:write">
              <ContactForm key={contact.id} contact={contact} />
            </Editable>
          </Section>
          <Section title={contactTexts.identities.title} flush>
            <Identities contact={contact} />
          </Section>
          <Section title={contactTexts.merge.title}>
            <Merged contact={contact} />
          </Section>
          <Memories contactId={contact.id} />
          {contact.merged_into === null && <Erasure contact={contact} />}
          <Section
            title={contactTexts.messages.title}
            actions={
              <TextLink
                size="sm"
                to={{ to: '/p/$projectId/conversations', params: { projectId }, search: { contact: contactId } }}
              >
                {contactTexts.messages.conversations}
              </TextLink>
            }
            flush
          >
            <ContactMessages contactId={contactId} />
          </Section>
        </Stack>
      )}
    </Page>
  );
}

const formTexts = contactTexts.form;

/** The contact's name, and how many messages a day they may send. */
function ContactForm({ contact }: { contact: Schema<'ContactDetailView'> }): ReactNode {
  const { name, daily_budget, reads_as, id } = contact;
  const editor = useEditor<Schema<'ContactChange'>>({
    saved: { name, daily_budget, reads_as },
    touched: ['contacts'],
    save: ({ change: body }) => answer(api.PATCH('/api/v1/contacts/{id}', { params: { path: { id } }, body })),
  });
  const { value, error, set } = editor;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        editor.save();
      }}
    >
      <Stack gap="md" maw={520}>
        <NameField value={value.name ?? ''} error={error} onChange={(name) => set({ name })} />
        <NumberInput
          label={formTexts.budget}
          description={formTexts.budgetHint}
          placeholder={formTexts.noBudget}
          min={0}
          allowDecimal={false}
          value={value.daily_budget ?? ''}
          error={fieldError(error, 'daily_budget')}
          onChange={(budget) => set({ daily_budget: budget === '' ? null : Number(budget) })}
        />
        <TagsInput
          label={formTexts.readsAs}
          description={formTexts.readsAsHint}
          maxTags={50}
          acceptValueOnBlur
          value={value.reads_as ?? []}
          error={fieldError(error, 'reads_as')}
          onChange={(readers) => set({ reads_as: readers })}
        />
        <ProblemAlert error={errorBeside(error, ['name', 'daily_budget', 'reads_as'])} />
        {editor.changed && (
          <Group gap="xs">
            <Button type="submit" loading={editor.saving}>
              {uiTexts.save}
            </Button>
            <Button variant="default" onClick={editor.discard}>
              {uiTexts.discard}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  );
}

const messageTexts = contactTexts.messages;
const pageSize = 30;

/** Everything that a contact sent, and its outcome. */
function ContactMessages({ contactId }: { contactId: string }): ReactNode {
  const projectId = useProjectId();
  const list = useCursorList(['contacts', contactId, 'messages'], (cursor, signal) =>
    answer(
      api.GET('/api/v1/contacts/{id}/messages', {
        params: { path: { id: contactId }, query: { limit: pageSize, cursor } },
        signal,
      }),
    ),
  );
  return (
    <DataTable
      label={messageTexts.title}
      list={list}
      rowKey={({ id }) => id}
      rowLink={({ receipt_id }) => ({
        to: '/p/$projectId/events/$eventId',
        params: { projectId, eventId: receipt_id },
      })}
      columns={[
        {
          id: 'text',
          label: messageTexts.text,
          width: 'minmax(0, 3fr)',
          cell: ({ message, state, why }) => {
            const reason = reasonInRow({ state, why });
            return reason === null ? message.message : <NameOver name={message.message} under={reason} />;
          },
        },
        { id: 'app', label: messageTexts.app, cell: ({ app_id }) => <AppName id={app_id} />, hideOnPhone: true },
        {
          id: 'outcome',
          label: messageTexts.outcome,
          width: '160px',
          cell: ({ state, why }) => <MessageState state={state} why={why} />,
        },
        {
          id: 'at',
          label: messageTexts.at,
          width: '110px',
          cell: ({ created_at }) => <When at={created_at} relative />,
        },
      ]}
      empty={<EmptyState icon={Inbox} {...messageTexts.empty} />}
    />
  );
}
