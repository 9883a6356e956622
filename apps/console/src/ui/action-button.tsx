import { Button, type ButtonProps, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { uiTexts } from '../texts/ui.js';
import { Hint } from './hint.js';
import { LaterPopover } from './later.js';

interface ActionButtonProps extends ButtonProps {
  /** Why it cannot be pressed now; null or absent: it can. */
  reason?: string | null;
  onClick?: () => void;
  children: ReactNode;
}

/** A button that says why it cannot be pressed. It stays focusable, so that keyboard users reach the reason too. */
export function ActionButton({ reason = null, onClick, children, ...button }: ActionButtonProps): ReactNode {
  return (
    <Hint label={reason}>
      <Button
        {...button}
        data-disabled={reason !== null || undefined}
        aria-disabled={reason !== null || undefined}
        aria-description={reason ?? undefined}
        onClick={reason === null ? onClick : undefined}
      >
        {children}
      </Button>
    </Hint>
  );
}

interface ConfirmButtonProps extends ButtonProps {
  /** What will happen, in a sentence. */
  question: ReactNode;
  confirm?: string;
  onConfirm: () => void;
  children: ReactNode;
}

/** A button for what cannot be undone: asks for confirmation beside itself. */
export function ConfirmButton({ question, confirm, onConfirm, children, ...button }: ConfirmButtonProps): ReactNode {
  return (
    <LaterPopover
      withArrow
      width={280}
      position="bottom-end"
      button={(onPress) => (
        <Button variant="default" {...button} onClick={onPress}>
          {children}
        </Button>
      )}
    >
      {(close) => (
        <>
          <Text size="sm" mb="sm">
            {question}
          </Text>
          <Group gap="xs" justify="flex-end">
            <Button size="compact-sm" variant="default" onClick={close}>
              {uiTexts.cancel}
            </Button>
            <Button
              size="compact-sm"
              color="red"
              onClick={() => {
                close();
                onConfirm();
              }}
            >
              {confirm ?? children ?? uiTexts.confirm}
            </Button>
          </Group>
        </>
      )}
    </LaterPopover>
  );
}

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

interface RemovalProps {
  /** What is removed with it. */
  text: string;
  question: string;
  action: string;
  loading: boolean;
  onConfirm: () => void;
}

/** Deletes a thing; the last part of its settings. */
export function Removal({ text, question, action, loading, onConfirm }: RemovalProps): ReactNode {
  return (
    <Group justify="space-between" gap="md">
      <Text size="sm" c="dimmed" flex={1} miw={240}>
        {text}
      </Text>
      <ConfirmButton color="red" variant="outline" question={question} loading={loading} onConfirm={onConfirm}>
        {action}
      </ConfirmButton>
    </Group>
  );
}
