import type { ButtonProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { ActionButton } from './action-button.js';
import { ConfirmButton } from './confirm-button.js';

interface ConfirmActionProps extends ButtonProps {
  /** Why it cannot be pressed now; null: it can. */
  reason: string | null;
  /** What will happen, in a sentence. */
  question: ReactNode;
  /** The label of the second button, if it differs. */
  confirm?: string;
  onConfirm: () => void;
  children: ReactNode;
}

/** A button for what cannot be undone: says why it cannot be pressed, and asks for confirmation when it can. */
export function ConfirmAction({
  reason,
  question,
  confirm,
  onConfirm,
  children,
  ...button
}: ConfirmActionProps): ReactNode {
  if (reason !== null)
    return (
      <ActionButton variant="default" {...button} reason={reason}>
        {children}
      </ActionButton>
    );
  return (
    <ConfirmButton {...button} question={question} confirm={confirm} onConfirm={onConfirm}>
      {children}
    </ConfirmButton>
  );
}
