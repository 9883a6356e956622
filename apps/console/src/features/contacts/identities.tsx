import { Modal, Select, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { useApps } from '../../api/choices.js';
import { answer, api, type Schema } from '../../api/client.js';
import { useChange } from '../../api/use-change.js';
import { contactTexts } from '../../texts/contacts.js';
import { ActionButton } from '../../ui/action-button.js';
import { DialogButtons } from '../../ui/dialog.js';
import { useReason } from '../../ui/editable.js';
import { AppName } from '../../ui/name-of.js';
import { ProblemAlert } from '../../ui/notices.js';
import { ListRow, RowList } from '../../ui/rows.js';
import { SecretOnce } from '../../ui/secret-once.js';
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

const pairingTexts = contactTexts.pairing;

/** A code that admits the first sender who sends it. */
export function PairingCode(): ReactNode {
  const reason = useReason('contacts:write');
  const { data: apps = [] } = useApps();
  const [opened, { open, close }] = useDisclosure();
  const [app, setApp] = useState<string | null>(null);
  const [code, setCode] = useState<string | null>(null);
  const make = useChange((app_id: string) => answer(api.POST('/api/v1/contacts/pairing-codes', { body: { app_id } })));
  const send = (): void => {
    if (!app) return;
    make.mutate(app, {
      onSuccess: (made) => {
        setCode(made.code);
        close();
      },
    });
  };
  return (
    <>
      <ActionButton variant="default" reason={reason} onClick={open}>
        {pairingTexts.open}
      </ActionButton>
      <Modal opened={opened} onClose={close} title={pairingTexts.open} centered>
        <Stack gap="md">
          <Text size="sm">{pairingTexts.explained}</Text>
          <Select
            label={pairingTexts.app}
            data={apps.filter(({ kind }) => kind === 'adapter').map(({ id, name }) => ({ value: id, label: name }))}
            value={app}
            onChange={setApp}
          />
          <ProblemAlert error={make.error} />
          <DialogButtons
            action={pairingTexts.action}
            disabled={!app}
            loading={make.isPending}
            onAction={send}
            onCancel={close}
          />
        </Stack>
      </Modal>
      <SecretOnce title={pairingTexts.title} label={pairingTexts.code} secret={code} onDone={() => setCode(null)} />
    </>
  );
}
