import { Button, type ButtonProps, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { uiTexts } from '../texts/ui.js';

interface DialogButtonsProps extends Pick<ButtonProps, 'loading' | 'disabled' | 'color'> {
  action: string;
  onCancel: () => void;
  /** Absent: the action submits the surrounding form. */
  onAction?: () => void;
}

/** The end of a dialog: cancel, or act. */
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
