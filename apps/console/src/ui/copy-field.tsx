import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.js';

/** A value to take elsewhere: a URL, an address. */
export function CopyField({ label, value }: { label: string; value: string }): ReactNode {
  return (
    <TextInput
      label={label}
      value={value}
      readOnly
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', textOverflow: 'ellipsis' } }}
      onFocus={(event) => event.currentTarget.select()}
      rightSection={<CopyButton text={value} label={`Copy: ${label}`} />}
    />
  );
}
