import { Button, Group, Stack, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { uiTexts } from '../../texts/ui.js';
import { errorBeside, fieldError } from '../../ui/field-errors.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { useSessionChange } from '../../api/use-change.js';

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
