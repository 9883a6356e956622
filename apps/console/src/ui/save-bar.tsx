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
}

/** Stays in sight while a form has unsaved changes. */
export function SaveBar({ changed, saving, onSave, onDiscard }: SaveBarProps): ReactNode {
  if (!changed) return null;
  return (
    <div className={classes.bar} role="region" aria-label={uiTexts.unsaved}>
      <Text size="sm">{uiTexts.unsaved}</Text>
      <Group gap="xs">
        <Button variant="default" onClick={onDiscard}>
          {uiTexts.discard}
        </Button>
        <Button loading={saving} onClick={onSave}>
          {uiTexts.save}
        </Button>
      </Group>
    </div>
  );
}
