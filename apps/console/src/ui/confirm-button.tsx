import { Button, type ButtonProps, Group, Popover, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { uiTexts } from '../texts/ui.js';

interface ConfirmButtonProps extends ButtonProps {
  /** What happens then, in a sentence. */
  question: ReactNode;
  confirm?: string;
  onConfirm: () => void;
  children: ReactNode;
}

/** A button for what cannot be taken back: asks once more, beside itself. */
export function ConfirmButton({ question, confirm, onConfirm, children, ...button }: ConfirmButtonProps): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <Popover opened={open} onChange={setOpen} trapFocus withArrow shadow="md" width={280} position="bottom-end">
      <Popover.Target>
        <Button variant="default" {...button} onClick={() => setOpen(!open)}>
          {children}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Text size="sm" mb="sm">
          {question}
        </Text>
        <Group gap="xs" justify="flex-end">
          <Button size="compact-sm" variant="default" onClick={() => setOpen(false)}>
            {uiTexts.cancel}
          </Button>
          <Button
            size="compact-sm"
            color="red"
            onClick={() => {
              setOpen(false);
              onConfirm();
            }}
          >
            {confirm ?? children ?? uiTexts.confirm}
          </Button>
        </Group>
      </Popover.Dropdown>
    </Popover>
  );
}
