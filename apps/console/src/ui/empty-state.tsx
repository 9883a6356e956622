import { Stack, Text, ThemeIcon } from '@mantine/core';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

interface EmptyStateProps {
  icon: LucideIcon;
  title: string;
  /** What to do next, in a sentence. */
  text: ReactNode;
  action?: ReactNode;
}

/** Shown where there is nothing yet. */
export function EmptyState({ icon: Icon, title, text, action }: EmptyStateProps): ReactNode {
  return (
    <Stack align="center" gap={6} py={48} px="md" ta="center">
      <ThemeIcon variant="light" color="gray" size={44} radius="xl" mb={6}>
        <Icon size={22} aria-hidden />
      </ThemeIcon>
      <Text fw={600}>{title}</Text>
      <Text c="dimmed" maw={420}>
        {text}
      </Text>
      {action && <div style={{ marginTop: 10 }}>{action}</div>}
    </Stack>
  );
}
