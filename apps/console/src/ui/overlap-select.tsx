import { Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { overlapTexts as texts } from '../texts/ui.js';

/** Seconds for which a replaced secret may stay valid. */
const choices = ['0', '3600', '86400', '604800'] as const;
export const usualOverlapSeconds = 86_400;

interface OverlapSelectProps {
  seconds: number;
  onChange: (seconds: number) => void;
}

/** How long a replaced secret stays valid, so that the sender can switch without a gap. */
export function OverlapSelect({ seconds, onChange }: OverlapSelectProps): ReactNode {
  return (
    <Select
      label={texts.label}
      data={choices.map((value) => ({ value, label: texts.choices[value] }))}
      value={String(seconds)}
      allowDeselect={false}
      onChange={(chosen) => chosen !== null && onChange(Number(chosen))}
    />
  );
}
