import { Modal, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { DialogButtons } from './dialog-buttons.js';

interface ConfirmDialogProps {
  opened: boolean;
  title: string;
  /** What will happen, in a sentence. */
  question: ReactNode;
  confirm?: string;
  onClose: () => void;
  onConfirm: () => void;
}

/** Asks for confirmation after a menu item is pressed. A `ConfirmButton` asks beside itself. */
export function ConfirmDialog(props: ConfirmDialogProps): ReactNode {
  const { opened, title, question, confirm = title, onClose, onConfirm } = props;
  return (
    <Modal opened={opened} onClose={onClose} title={title} centered>
      <Text mb="md">{question}</Text>
      <DialogButtons
        action={confirm}
        color="red"
        onAction={() => {
          onClose();
          onConfirm();
        }}
        onCancel={onClose}
      />
    </Modal>
  );
}
