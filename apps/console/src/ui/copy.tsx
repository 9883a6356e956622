import { ActionIcon, Group, Text, TextInput } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { Check, Copy } from 'lucide-react';
import type { ReactNode } from 'react';
import { uiTexts } from '../texts/ui.js';
import { Hint } from './hint.js';

interface CopyButtonProps {
  /** A function, if the text takes time to write. */
  text: string | (() => string);
  /** Says what is copied, where several buttons are close together. */
  label?: string;
}

export function CopyButton({ text, label = uiTexts.copy }: CopyButtonProps): ReactNode {
  const { copy, copied } = useClipboard({ timeout: 1_500 });
  const shown = copied ? uiTexts.copied : label;
  return (
    <Hint label={shown}>
      <ActionIcon
        variant="subtle"
        color={copied ? 'teal' : 'gray'}
        size="sm"
        aria-label={shown}
        onClick={() => copy(typeof text === 'string' ? text : text())}
      >
        {copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
      </ActionIcon>
    </Hint>
  );
}

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

interface CopyFieldProps {
  label: string;
  /** What to do with it. */
  description?: string;
  value: string;
}

/** A value to copy elsewhere: a URL, an address. */
export function CopyField({ label, description, value }: CopyFieldProps): ReactNode {
  return (
    <TextInput
      label={label}
      description={description}
      value={value}
      readOnly
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', textOverflow: 'ellipsis' } }}
      onFocus={(event) => event.currentTarget.select()}
      rightSection={<CopyButton text={value} label={`Copy: ${label}`} />}
    />
  );
}
