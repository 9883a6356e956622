import { Group, Text, ThemeIcon } from '@mantine/core';
import { Check } from 'lucide-react';
import type { ReactNode } from 'react';

interface StepProps {
  number: number;
  done: boolean;
  title: string;
  text?: string;
  /** Beside the title, done or not. */
  link?: ReactNode;
  /** Shows what the step takes also when it is done. */
  keepOpen?: boolean;
  /** What the step takes; hidden once it is done. */
  children?: ReactNode;
}

/** One line of a checklist, which ticks itself off. */
export function Step({ number, done, title, text, link, keepOpen = false, children }: StepProps): ReactNode {
  return (
    <li data-done={done}>
      <Group gap="sm" wrap="nowrap" align="flex-start">
        <ThemeIcon size={22} radius="xl" variant={done ? 'filled' : 'default'} color="teal.8" mt={1}>
          {done ? (
            <Check size={13} aria-label="✓" />
          ) : (
            <Text span size="xs" fw={600} aria-hidden>
              {number}
            </Text>
          )}
        </ThemeIcon>
        <div style={{ flex: 1, minWidth: 0 }}>
          <Group gap="sm">
            <Text fw={500}>{title}</Text>
            {link}
          </Group>
          {text && !done && (
            <Text size="sm" c="dimmed" aria-live="polite">
              {text}
            </Text>
          )}
          {children && (!done || keepOpen) && <div style={{ marginTop: 10 }}>{children}</div>}
        </div>
      </Group>
    </li>
  );
}
