import { Collapse, Group, Text, UnstyledButton } from '@mantine/core';
import { Check, CircleHelp, Minus, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Schema } from '../../api/named-schema.js';
import { integrationTexts } from '../../texts/integrations.js';
import { CodeBlock } from '../../ui/code-block.js';
import { StatusBadge } from '../../ui/status-badge.js';
import classes from './verify-check.module.css';

const texts = integrationTexts.verify;
const icons = { ok: Check, failed: X, skipped: CircleHelp, not_applicable: Minus };

/** One line of the checklist, with its requests and answers. */
export function VerifyCheck({ check }: { check: Schema<'CheckView'> }): ReactNode {
  const { name, status, sentence, took_ms, what_to_do, details } = check;
  const [open, setOpen] = useState(status === 'failed');
  const Icon = icons[status];
  return (
    <li className={classes.check} data-status={status}>
      <Icon size={17} aria-hidden className={classes.icon} />
      <div className={classes.text}>
        <Group gap="xs" justify="space-between">
          <Group gap="xs">
            <Text fw={500}>{name}</Text>
            <StatusBadge status={status} />
          </Group>
          {took_ms !== null && (
            <Text size="sm" c="dimmed">
              {texts.took(took_ms)}
            </Text>
          )}
        </Group>
        <Text size="sm" c={status === 'failed' ? undefined : 'dimmed'}>
          {sentence}
        </Text>
        {what_to_do && (
          <Text size="sm">
            <b>{texts.whatToDo}</b> {what_to_do}
          </Text>
        )}
        {details && (
          <>
            <UnstyledButton className={classes.toggle} aria-expanded={open} onClick={() => setOpen(!open)}>
              <span aria-hidden>{open ? '▾' : '▸'}</span> {texts.details}
            </UnstyledButton>
            <Collapse expanded={open}>
              <CodeBlock code={details} label={`${name}: ${texts.details}`} wrap />
            </Collapse>
          </>
        )}
      </div>
    </li>
  );
}
