import { Modal, Stack, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { DialogButtons } from '../../ui/dialog-buttons.js';
import { errorBeside, fieldError } from '../../ui/field-errors.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { useSessionChange } from '../../api/use-change.js';

interface NameFormProps {
  opened: boolean;
  title: string;
  label: string;
  action: string;
  save: (name: string) => Promise<unknown>;
  onClose: () => void;
}

/** Creates something that only needs a name. */
export function NameForm({ opened, title, label, action, save, onClose }: NameFormProps): ReactNode {
  const [name, setName] = useState('');
  const create = useSessionChange(() => save(name.trim()));
  const done = (): void => {
    setName('');
    onClose();
  };
  return (
    <Modal opened={opened} onClose={onClose} title={title} centered>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate(undefined, { onSuccess: done });
        }}
      >
        <Stack gap="md">
          <TextInput
            label={label}
            required
            data-autofocus
            maxLength={200}
            value={name}
            error={fieldError(create.error, 'name')}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <ProblemAlert error={errorBeside(create.error, ['name'])} />
          <DialogButtons action={action} loading={create.isPending} disabled={name.trim() === ''} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}
