import { Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type ReactNode, useState } from 'react';
import { useChange } from '../api/use-change.js';
import { historyTexts as texts } from '../texts/history.js';
import { FormModal } from './dialog.js';
import { VersionDifferences } from './version-differences.js';
import type { Version, Versioned } from './versioned.js';

interface RestoreVersionProps {
  of: Versioned;
  inForce: number;
  /** Null: the dialog is closed. */
  version: Version | null;
  onClose: () => void;
}

/** Puts another version in force, after showing what that changes. */
export function RestoreVersion({ of, inForce, version, onClose }: RestoreVersionProps): ReactNode {
  const [note, setNote] = useState('');
  const { act, title, hint, done } = of.words ?? {
    act: () => texts.restore,
    title: texts.restoreTitle,
    hint: texts.restoreHint,
    done: texts.restored,
  };
  const restore = useChange(
    async () => {
      if (!version) return;
      await of.restore(version.version, { note, instead_of: inForce });
      notifications.show({ message: done(version.version), color: 'teal' });
      setNote('');
      onClose();
    },
    of.key[0],
    ...(of.touches ?? []),
  );
  return (
    <FormModal
      opened={version !== null}
      title={version ? title(version.version) : ''}
      submit={act(version?.state ?? 'earlier')}
      size="xl"
      saving={restore.isPending}
      error={restore.error}
      onSubmit={() => restore.mutate()}
      onClose={() => {
        restore.reset();
        onClose();
      }}
    >
      <Text size="sm">{hint(inForce)}</Text>
      {version && <VersionDifferences of={of} version={version.version} against={inForce} />}
      {of.takesNote && (
        <TextInput
          label={texts.why}
          maxLength={500}
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
      )}
    </FormModal>
  );
}
