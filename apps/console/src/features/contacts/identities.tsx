import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import type { Schema } from '../../api/named-schema.js';
import { useChange } from '../../api/use-change.js';
import { contactTexts } from '../../texts/contacts.js';
import { ActionButton } from '../../ui/action-button.js';
import { useReason } from '../../ui/editable.js';
import { AppName } from '../../ui/name-of.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { ListRow, RowList } from '../../ui/row-list.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';

const texts = contactTexts.identities;

/** The identities of a contact, and whether one of them is paused because of a loop. */
export function Identities({ contact }: { contact: Schema<'ContactDetailView'> }): ReactNode {
  const reason = useReason('contacts:write');
  const resume = useChange(
    () => answer(api.POST('/api/v1/contacts/{id}/resume', { params: { path: { id: contact.id } } })),
    'contacts',
  );
  if (contact.identities.length === 0)
    return (
      <Text c="dimmed" p="md">
        {texts.none}
      </Text>
    );
  return (
    <>
      <RowList>
        {contact.identities.map(({ app_id, sender, seen_at, paused_until, pause_reason }) => (
          <ListRow key={`${app_id} ${sender}`}>
            <div style={{ flex: 1, minWidth: 200, overflowWrap: 'anywhere' }}>
              {sender}
              <Text size="sm" c="dimmed" component="div">
                <AppName id={app_id} /> · {texts.seen} <When at={seen_at} relative />
              </Text>
            </div>
            {paused_until && new Date(paused_until) > new Date() && (
              <>
                <StatusBadge status="paused" />
                <Text size="sm" c="dimmed" component="span">
                  {pause_reason} · {texts.until} <When at={paused_until} />
                </Text>
                <ActionButton
                  size="compact-sm"
                  variant="default"
                  reason={reason}
                  loading={resume.isPending}
                  onClick={() => resume.mutate()}
                >
                  {texts.resume}
                </ActionButton>
              </>
            )}
          </ListRow>
        ))}
      </RowList>
      <ProblemAlert error={resume.error} />
    </>
  );
}
