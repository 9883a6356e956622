import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import { toolWords } from '../texts/tool-words.js';

const colours = { read: 'gray', write: 'accent', destructive: 'red' } as const;

/** The most that a call of a tool can do. */
export function GradeBadge({ grade }: { grade: keyof typeof colours }): ReactNode {
  return (
    <Badge
      component="span"
      variant="outline"
      color={colours[grade]}
      radius="sm"
      size="sm"
      tt="none"
      fw={500}
      style={{ flexShrink: 0 }}
      styles={{ label: { color: 'var(--mantine-color-text)' } }}
    >
      {toolWords.grades[grade]}
    </Badge>
  );
}
