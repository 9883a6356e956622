import { Button, type ButtonProps, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { uiTexts } from '../texts/ui.js';

interface DialogButtonsProps extends Pick<ButtonProps, 'loading' | 'disabled' | 'color'> {
  action: string;
  onCancel: () => void;
  /** Absent: the action submits the form around it. */
  onAction?: () => void;
}

/** The end of a dialog: leave it, or do what it is for. */
export function DialogButtons({ action, onCancel, onAction, ...button }: DialogButtonsProps): ReactNode {
  return (
    <Group justify="flex-end" gap="xs">
      <Button variant="default" onClick={onCancel}>
        {uiTexts.cancel}
      </Button>
      <Button {...button} type={onAction ? 'button' : 'submit'} onClick={onAction}>
        {action}
      </Button>
    </Group>
  );
}
