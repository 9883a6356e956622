import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { uiTexts } from '../texts/ui.js';
import classes from './save-bar.module.css';

interface SaveBarProps {
  /** Whether there is something to save. Nothing shows otherwise. */
  changed: boolean;
  saving: boolean;
  onSave: () => void;
  onDiscard: () => void;
  /** Another way to keep the changes. */
  children?: ReactNode;
}

/** Stays in sight while a form has unsaved changes. */
export function SaveBar({ changed, saving, onSave, onDiscard, children }: SaveBarProps): ReactNode {
  if (!changed) return null;
  return (
    <div className={classes.bar} role="region" aria-label={uiTexts.unsaved}>
      <Text size="sm">{uiTexts.unsaved}</Text>
      <Group gap="xs">
        <Button variant="default" onClick={onDiscard}>
          {uiTexts.discard}
        </Button>
        {children}
        <Button loading={saving} onClick={onSave}>
          {uiTexts.save}
        </Button>
      </Group>
    </div>
  );
}

/** Submits the surrounding form, and says beside it that this was done. @param saved what it says; null: nothing yet */
export function SaveButton({ saving, saved }: { saving: boolean; saved: string | null }): ReactNode {
  return (
    <Group>
      <Button type="submit" loading={saving}>
        {uiTexts.save}
      </Button>
      {saved && (
        <Text size="sm" role="status">
          {saved}
        </Text>
      )}
    </Group>
  );
}
