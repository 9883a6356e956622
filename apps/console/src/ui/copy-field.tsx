import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.js';

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
