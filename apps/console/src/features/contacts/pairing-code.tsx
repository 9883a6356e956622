import { Modal, Select, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { useApps } from '../../api/apps.js';
import { answer, api } from '../../api/client.js';
import { useChange } from '../../api/use-change.js';
import { contactTexts } from '../../texts/contacts.js';
import { ActionButton } from '../../ui/action-button.js';
import { DialogButtons } from '../../ui/dialog-buttons.js';
import { useReason } from '../../ui/editable.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { SecretOnce } from '../../ui/secret-once.js';

const texts = contactTexts.pairing;

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
        {texts.open}
      </ActionButton>
      <Modal opened={opened} onClose={close} title={texts.open} centered>
        <Stack gap="md">
          <Text size="sm">{texts.explained}</Text>
          <Select
            label={texts.app}
            data={apps.filter(({ kind }) => kind === 'adapter').map(({ id, name }) => ({ value: id, label: name }))}
            value={app}
            onChange={setApp}
          />
          <ProblemAlert error={make.error} />
          <DialogButtons
            action={texts.action}
            disabled={!app}
            loading={make.isPending}
            onAction={send}
            onCancel={close}
          />
        </Stack>
      </Modal>
      <SecretOnce title={texts.title} label={texts.code} secret={code} onDone={() => setCode(null)} />
    </>
  );
}
