import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.js';

/** An id in a line of text, with a button that copies it. */
export function CopyText({ label, text }: { label?: string; text: string }): ReactNode {
  return (
    <Group gap={4} wrap="nowrap" display="inline-flex" maw="100%">
      <Text size="sm" component="span" truncate>
        {label && `${label} `}
        <code>{text}</code>
      </Text>
      <CopyButton text={text} />
    </Group>
  );
}
