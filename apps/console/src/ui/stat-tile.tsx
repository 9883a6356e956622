import { Paper, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** One number that answers a question. */
export function StatTile({ label, value, hint }: { label: string; value: ReactNode; hint?: ReactNode }): ReactNode {
  return (
    <Paper px="md" py="sm">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fz="1.375rem" fw={600} lh={1.3}>
        {value}
      </Text>
      {hint && (
        <Text size="xs" c="dimmed" component="div">
          {hint}
        </Text>
      )}
    </Paper>
  );
}
