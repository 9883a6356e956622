import { Group, Paper, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';

interface SectionProps {
  title: string;
  actions?: ReactNode;
  /** Without padding, for tables and lists that have their own. */
  flush?: boolean;
  /** One of several alike. They are not landmarks, because two may have the same title. */
  item?: boolean;
  children: ReactNode;
}

/** A titled part of a page. */
export function Section({ title, actions, flush = false, item = false, children }: SectionProps): ReactNode {
  const id = useId();
  return (
    <Paper component={item ? 'article' : 'section'} aria-labelledby={id} p={0}>
      <Group justify="space-between" px="md" py="sm" style={{ borderBottom: '1px solid var(--gh-line)' }}>
        <Title order={2} id={id}>
          {title}
        </Title>
        {actions}
      </Group>
      <div style={flush ? undefined : { padding: 'var(--mantine-spacing-md)' }}>{children}</div>
    </Paper>
  );
}
