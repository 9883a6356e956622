import { Button, type ButtonProps, Group, Modal, Stack, Text } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { uiTexts } from '../texts/ui.js';
import { errorBeside, ProblemAlert } from './notices.js';

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

interface FormModalProps {
  opened: boolean;
  title: string;
  submit: string;
  saving: boolean;
  error: unknown;
  /** The fields that show their own error. */
  fields?: readonly string[];
  ready?: boolean;
  size?: string;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
}

/** A short form in a dialog. Enter submits it. Errors of fields show at the field, others above the buttons. */
export function FormModal(props: FormModalProps): ReactNode {
  const { opened, title, submit, saving, error, fields = [], ready = true, size, onSubmit, onClose, children } = props;
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    // What such a field says is not in the form's value.
    const unreadable = event.currentTarget.querySelector<HTMLElement>('[data-unreadable]');
    if (unreadable) return unreadable.focus();
    if (ready && !saving) onSubmit();
  };
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={title}
      size={size}
      closeButtonProps={{ 'aria-label': uiTexts.close }}
    >
      <form onSubmit={send} noValidate>
        <Stack gap="md">
          {children}
          <ProblemAlert error={errorBeside(error, fields)} />
          <DialogButtons action={submit} loading={saving} disabled={!ready} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}
