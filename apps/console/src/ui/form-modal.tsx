import { Modal, Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { uiTexts } from '../texts/ui.js';
import { DialogButtons } from './dialog-buttons.js';
import { errorBeside } from './field-errors.js';
import { ProblemAlert } from './problem-alert.js';

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
  const send = (event: FormEvent): void => {
    event.preventDefault();
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
