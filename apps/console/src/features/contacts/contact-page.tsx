import { Skeleton, Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useContact } from '../../api/contacts.js';
import { contactTexts } from '../../texts/contacts.js';
import { CopyText } from '../../ui/copy-text.js';
import { Editable } from '../../ui/editable.js';
import { Page } from '../../ui/page.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { Section } from '../../ui/section.js';
import { TextLink } from '../../ui/text-link.js';
import { Admission } from './admission.js';
import { ContactForm } from './contact-form.js';
import { ContactMessages } from './contact-messages.js';
import { useLiveRefresh } from '../../api/use-live-refresh.js';
import { ContactStatus } from './contact-status.js';
import { Identities } from './identities.js';
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
