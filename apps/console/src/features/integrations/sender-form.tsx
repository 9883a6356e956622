import { Modal, PasswordInput, Select, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useRefresh } from '../../api/use-change.js';
import { signatureTexts } from '../../texts/app-signatures.js';
import { DialogButtons } from '../../ui/dialog.js';
import { ProblemAlert } from '../../ui/notices.js';
import { type Sender, SenderSteps } from './sender-steps.js';
import { keepSecret, linkedTo } from './signing-secret.js';
import { type App, saveApp, touched } from './use-app.js';

const texts = signatureTexts.sender;

interface SenderFormProps {
  app: App;
  senders: Sender[];
  opened: boolean;
  onClose: () => void;
}

/** Chooses a well-known sender; the platform fills in the rest, but for the secret that the sender issues. */
export default function SenderForm({ app, senders, opened, onClose }: SenderFormProps): ReactNode {
  const refresh = useRefresh(...touched);
  const [id, setId] = useState(app.sender);
  const [secret, setSecret] = useState('');
  const chosen = senders.find((sender) => sender.id === id);
  const save = useMutation({
    mutationFn: async () => {
      const credentials = secret === '' ? {} : linkedTo(await keepSecret(app, secret));
      return saveApp(app.id, { sender: id, ...credentials });
    },
    onSuccess: async () => {
      setSecret('');
      onClose();
      await refresh();
    },
  });
  return (
    <Modal opened={opened} onClose={onClose} title={texts.choose} size="lg">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <Stack gap="md">
          <Select
            label={texts.select}
            data={senders.map(({ id: value, name }) => ({ value, label: name }))}
            value={id}
            searchable
            nothingFoundMessage={texts.nothing}
            onChange={setId}
            data-autofocus
          />
          {chosen && <SenderSteps sender={chosen} />}
          {chosen && (
            <PasswordInput
              label={texts.secret}
              description={texts.secretHint}
              autoComplete="off"
              value={secret}
              onChange={(event) => setSecret(event.currentTarget.value)}
            />
          )}
          <ProblemAlert error={save.error} />
          <DialogButtons action={texts.take} loading={save.isPending} disabled={!chosen} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}
