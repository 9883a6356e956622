import { Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { useChange } from '../../api/use-change.js';
import { contactTexts } from '../../texts/contacts.js';
import { ConfirmAction } from '../../ui/action-button.js';
import { useReason } from '../../ui/editable.js';
import { PrincipalName } from '../../ui/name-of.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { When } from '../../ui/when.js';

const texts = contactTexts.erasure;
const pollMs = 2_000;
type Erased = Schema<'ErasureView'>;

/** Erases everything of a contact, and says what was erased, when and by whom. */
export function Erasure({ contact }: { contact: Schema<'ContactDetailView'> }): ReactNode {
  const params = { path: { id: contact.id } };
  const mayRead = useScope('events:read');
  const reason = useReason('contacts:write');
  const { data, error } = useProjectQuery(
    ['contacts', contact.id, 'erasure'],
    (signal) => answer(api.GET('/api/v1/contacts/{id}/erasure', { params, signal })),
    {
      enabled: contact.has_erasure,
      refetchInterval: (last) => (last?.state === 'queued' || last?.state === 'running' ? pollMs : false),
    },
  );
  const erase = useChange(() => answer(api.DELETE('/api/v1/contacts/{id}/data', { params })), 'contacts');
  const isBack = data?.state === 'done' && contact.identities.length > 0;
  const mayAsk = !contact.has_erasure || data?.state === 'dead' || isBack;
  return (
    <Section
      title={texts.title}
      actions={
        mayAsk &&
        mayRead && (
          <ConfirmAction
            size="compact-sm"
            variant="subtle"
            color="red"
            reason={reason}
            loading={erase.isPending}
            question={texts.question(contact.name)}
            confirm={texts.confirm}
            onConfirm={() => erase.mutate()}
          >
            {data?.state === 'dead' ? texts.retry : texts.erase}
          </ConfirmAction>
        )
      }
    >
      <ProblemAlert error={error ?? erase.error} />
      {data ? (
        <Outcome erased={data} />
      ) : (
        <Text size="sm" c="dimmed">
          {texts.explained}
        </Text>
      )}
    </Section>
  );
}

function Outcome({ erased }: { erased: Erased }): ReactNode {
  const { state, ended_at: ended, due_at: due, asked_by: by, report, detail } = erased;
  const rows = Object.entries(report).flatMap(([service, counts]) =>
    Object.entries(counts).map(([kind, count]) => ({ service, kind, count })),
  );
  const at = state === 'done' ? ended : state === 'queued' ? due : null;
  return (
    <Stack gap="sm">
      <Text size="sm">
        {texts.states[state]} {at && <When at={at} />} {state === 'done' && texts.by}{' '}
        {state === 'done' && <PrincipalName subject={by} />}
      </Text>
      {detail && (
        <Text size="sm" c="red.8">
          {detail}
        </Text>
      )}
      {rows.length > 0 && (
        <Table aria-label={texts.counted}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.service}</Table.Th>
              <Table.Th>{texts.kind}</Table.Th>
              <Table.Th ta="right">{texts.rows}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map(({ service, kind, count }) => (
              <Table.Tr key={`${service} ${kind}`}>
                <Table.Td>{service}</Table.Td>
                <Table.Td>{kind.replaceAll('_', ' ')}</Table.Td>
                <Table.Td ta="right">{count}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Stack>
  );
}
