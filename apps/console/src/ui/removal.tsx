import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ConfirmButton } from './confirm-button.js';

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
