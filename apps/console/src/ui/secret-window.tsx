import { Alert, Button, Group, Modal, Stack } from '@mantine/core';
import { KeyRound } from 'lucide-react';
import type { ReactNode } from 'react';
import { uiTexts } from '../texts/ui.js';
import { CopyField } from './copy.js';
import type { SecretOnceProps } from './secret-once.js';

export default function SecretWindow({ title, label, secret, onDone }: SecretOnceProps): ReactNode {
  return (
    <Modal opened={secret !== null} onClose={onDone} title={title} closeOnClickOutside={false} centered>
      <Stack gap="md">
        <Alert variant="light" color="yellow" icon={<KeyRound size={18} aria-hidden />}>
          {uiTexts.secretOnce}
        </Alert>
        <CopyField label={label} value={secret ?? ''} />
        <Group justify="flex-end">
          <Button onClick={onDone}>{uiTexts.secretKept}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
