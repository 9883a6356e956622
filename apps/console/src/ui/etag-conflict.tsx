import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { isConflict } from '../api/problem.js';
import { uiTexts } from '../texts/ui.js';
import { DiffView } from './diff-view.js';

interface EtagConflictProps {
  /** What saving threw. The dialog shows only for a conflict. */
  error: unknown;
  /** The current state; undefined while it loads. */
  theirs: unknown;
  mine: unknown;
  label: string;
  onTakeTheirs: () => void;
  onSaveMine: () => void;
  onClose: () => void;
}

/** Two people changed the same thing: shows the difference and lets the second one choose. */
export function EtagConflict(props: EtagConflictProps): ReactNode {
  const { error, theirs, mine, label, onTakeTheirs, onSaveMine, onClose } = props;
  return (
    <Modal opened={isConflict(error)} onClose={onClose} title={uiTexts.conflictTitle} size="lg" centered>
      <Stack gap="md">
        <Text>{uiTexts.conflictText}</Text>
        {theirs !== undefined && <DiffView before={theirs} after={mine} label={label} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onTakeTheirs}>
            {uiTexts.conflictTheirs}
          </Button>
          <Button onClick={onSaveMine}>{uiTexts.conflictMine}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
