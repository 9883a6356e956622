import { Button, type ButtonProps, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { uiTexts } from '../texts/ui.js';
import { LaterPopover } from './later-popover.js';

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
