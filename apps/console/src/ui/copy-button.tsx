import { ActionIcon } from '@mantine/core';
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
  const said = copied ? uiTexts.copied : label;
  return (
    <Hint label={said}>
      <ActionIcon
        variant="subtle"
        color={copied ? 'teal' : 'gray'}
        size="sm"
        aria-label={said}
        onClick={() => copy(typeof text === 'string' ? text : text())}
      >
        {copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
      </ActionIcon>
    </Hint>
  );
}
