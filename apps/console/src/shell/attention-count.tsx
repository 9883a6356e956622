import { VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { causesOf, useAttention } from '../api/attention.js';
import { useScope } from '../api/session.js';
import { shellTexts } from '../texts/shell.js';
import classes from './attention-count.module.css';

const most = 99;

/** How many things need attention; nothing where none does. What is muted does not count. */
export function AttentionCount(): ReactNode {
  const { data = [] } = useAttention({ enabled: useScope('events:read') });
  const causes = [...causesOf(data).values()];
  if (causes.length === 0) return null;
  return (
    <span className={classes.count} data-error={causes.some(({ severity }) => severity === 'error') || undefined}>
      <span aria-hidden>{causes.length > most ? `${most}+` : causes.length}</span>
      <VisuallyHidden>{shellTexts.needAttention(causes.length)}</VisuallyHidden>
    </span>
  );
}
