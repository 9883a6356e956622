import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** A name, and below it what distinguishes it from others. */
export function NameOver({ name, under }: { name: ReactNode; under: ReactNode }): ReactNode {
  return (
    <>
      <Text component="div" truncate inherit>
        {name}
      </Text>
      <Text component="div" size="xs" c="dimmed" truncate>
        {under}
      </Text>
    </>
  );
}
