import { Anchor, Breadcrumbs, Group, Paper, Text, Title, UnstyledButton } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { Link, type ToOptions } from '@tanstack/react-router';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
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
        {actions && (
          <Group gap="xs" data-page-actions>
            {actions}
          </Group>
        )}
      </header>
      {children}
    </div>
  );
}

interface SectionProps {
  title: string;
  /** Beside the title. */
  mark?: ReactNode;
  actions?: ReactNode;
  /** Without padding, for tables and lists that have their own. */
  flush?: boolean;
  /** One of several alike. They are not landmarks, because two may have the same title. */
  item?: boolean;
  children: ReactNode;
}

/** A titled part of a page. */
export function Section({ title, mark, actions, flush = false, item = false, children }: SectionProps): ReactNode {
  const id = useId();
  return (
    <Paper component={item ? 'article' : 'section'} aria-labelledby={id} p={0}>
      <Group justify="space-between" px="md" py="sm" style={{ borderBottom: '1px solid var(--gh-line)' }}>
        <Group gap={4}>
          <Title order={2} id={id}>
            {title}
          </Title>
          {mark}
        </Group>
        {actions}
      </Group>
      <div style={flush ? undefined : { padding: 'var(--mantine-spacing-md)' }}>{children}</div>
    </Paper>
  );
}

/** Something that few people need: one line until it is opened. */
export function Disclosure({ label, children }: { label: ReactNode; children: ReactNode }): ReactNode {
  const [open, setOpen] = useState(false);
  const Icon = open ? ChevronDown : ChevronRight;
  return (
    <div>
      <UnstyledButton className={classes.button} aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon size={14} aria-hidden /> {label}
      </UnstyledButton>
      {open && <div className={classes.content}>{children}</div>}
    </div>
  );
}
