import { Anchor, Breadcrumbs, Group, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { Link, type ToOptions } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { named } from '../drawn/drawn-text.js';
import { shellTexts } from '../texts/shell.js';
import classes from './page.module.css';

interface Crumb {
  label: string;
  to: ToOptions;
}

interface PageProps {
  title: string;
  /** Beside the title: a status, a live dot. */
  mark?: ReactNode;
  description?: ReactNode;
  breadcrumbs?: Crumb[];
  actions?: ReactNode;
  children: ReactNode;
}

/** The frame of every page: its heading, its purpose, and its actions. */
export function Page({ title, mark, description, breadcrumbs = [], actions, children }: PageProps): ReactNode {
  useDocumentTitle(`${named(title)} · ${shellTexts.product}`);
  return (
    <div className={classes.page}>
      {breadcrumbs.length > 0 && (
        <Breadcrumbs separatorMargin={6} fz="sm" mb={6} classNames={{ breadcrumb: classes.crumb }}>
          {breadcrumbs.map(({ label, to }) => (
            <Anchor key={label} size="sm" c="dimmed" renderRoot={(props) => <Link {...props} {...to} />}>
              {label}
            </Anchor>
          ))}
        </Breadcrumbs>
      )}
      <header className={classes.head}>
        <div className={classes.title}>
          <Group gap="xs" align="center">
            <Title order={1}>{title}</Title>
            {mark}
          </Group>
          {description && (
            <Text c="dimmed" size="md" mt={2} component="div">
              {description}
            </Text>
          )}
        </div>
        {actions && <Group gap="xs">{actions}</Group>}
      </header>
      {children}
    </div>
  );
}
