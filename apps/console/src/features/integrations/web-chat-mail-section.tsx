import { Alert, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { listingOf, useApps, useListings } from '../../api/choices.js';
import { answer, api, type Schema } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { useChange } from '../../api/use-change.js';
import { webChatTexts } from '../../texts/web-chat.js';
import { ActionButton } from '../../ui/action-button.js';
import { useReason } from '../../ui/editable.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import type { App } from './use-app.js';

const texts = webChatTexts.mail;

/** By which App answers of a web chat go to visitors who are away. */
export function WebChatMailSection({ app }: { app: App }): ReactNode {
  const params = { path: { id: app.id } };
  const { data, error } = useProjectQuery(['apps', app.id, 'web-chat'], (signal) =>
    answer(api.GET('/api/v1/apps/{id}/web-chat', { params, signal })),
  );
  return (
    <Section title={texts.title}>
      <ProblemAlert error={error} />
      {data && <Form key={`${data.mail_app_id} ${data.subject}`} app={app} saved={data} />}
    </Section>
  );
}

function Form({ app, saved }: { app: App; saved: Schema<'WebChatView'> }): ReactNode {
  const reason = useReason('apps:write');
  const [mailApp, setMailApp] = useState(saved.mail_app_id ?? '');
  const [subject, setSubject] = useState(saved.subject ?? '');
  const { data: apps = [], isPending } = useApps();
  const { data: listings } = useListings();
  const senders = apps.filter((one) => listingOf(listings, one)?.sends_mail);
  // One that sends no mail any more stays chosen until another one is.
  const chosen = apps.filter(({ id }) => id === saved.mail_app_id && !senders.some((one) => one.id === id));
  const save = useChange(
    () =>
      answer(
        api.PUT('/api/v1/apps/{id}/web-chat', {
          params: { path: { id: app.id } },
          body: { mail_app_id: mailApp || null, subject: subject.trim() || null },
        }),
      ),
    'apps',
  );
  const isChanged = mailApp !== (saved.mail_app_id ?? '') || subject.trim() !== (saved.subject ?? '');
  return (
    <Stack gap="sm">
      {saved.problem && (
        <Alert color="orange" icon={<TriangleAlert size={16} aria-hidden />}>
          {saved.problem}
        </Alert>
      )}
      <Select
        label={texts.app}
        description={!isPending && listings && senders.length === 0 ? texts.noApps : undefined}
        data={[
          { value: '', label: texts.none },
          ...[...senders, ...chosen].map(({ id, name }) => ({ value: id, label: name })),
        ]}
        value={mailApp}
        allowDeselect={false}
        disabled={reason !== null}
        onChange={(id) => setMailApp(id ?? '')}
      />
      {mailApp !== '' && (
        <TextInput
          label={texts.subject}
          description={texts.subjectHint}
          maxLength={120}
          value={subject}
          disabled={reason !== null}
          onChange={(event) => setSubject(event.target.value)}
        />
      )}
      <Text size="sm" c="dimmed">
        {texts.hint}{' '}
        {saved.mail_app_id !== null && saved.problem === null && (saved.replies ? texts.replies : texts.noReplies)}
      </Text>
      <ProblemAlert error={save.error} />
      <Group justify="flex-end">
        <ActionButton reason={reason} disabled={!isChanged} loading={save.isPending} onClick={() => save.mutate()}>
          {texts.save}
        </ActionButton>
      </Group>
    </Stack>
  );
}
