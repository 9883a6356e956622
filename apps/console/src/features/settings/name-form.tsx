import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { DialogButtons } from '../../ui/dialog.js';
import { errorBeside, fieldError, ProblemAlert } from '../../ui/notices.js';
import { useSessionChange } from '../../api/use-change.js';
import { uiTexts } from '../../texts/ui.js';

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

interface RenameProps {
  label: string;
  name: string;
  save: (name: string) => Promise<unknown>;
  onSaved?: () => void;
}

/** A name, saved when it has changed. */
export function Rename({ label, name, save, onSaved }: RenameProps): ReactNode {
  const [typed, setTyped] = useState(name);
  const change = useSessionChange(() => save(typed.trim()));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate(undefined, { onSuccess: onSaved });
      }}
    >
      <Stack gap="sm" maw={520}>
        <Group align="flex-end" gap="xs">
          <TextInput
            flex={1}
            label={label}
            required
            maxLength={200}
            value={typed}
            error={fieldError(change.error, 'name')}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <Button type="submit" loading={change.isPending} disabled={typed.trim() === '' || typed.trim() === name}>
            {uiTexts.save}
          </Button>
        </Group>
        <ProblemAlert error={errorBeside(change.error, ['name'])} />
      </Stack>
    </form>
  );
}
