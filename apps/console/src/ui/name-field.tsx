import { TextInput, type TextInputProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { uiTexts } from '../texts/ui.js';
import { fieldError } from './notices.js';

interface NameFieldProps extends Pick<TextInputProps, 'description'> {
  value: string;
  onChange: (name: string) => void;
  /** The error of the change that sends it. */
  error: unknown;
  /** The first field of a form that opens. */
  first?: boolean;
}

/** The name of the thing in the form. */
export function NameField({ value, onChange, error, first, description }: NameFieldProps): ReactNode {
  return (
    <TextInput
      label={uiTexts.name}
      description={description}
      required
      maxLength={200}
      data-autofocus={first || undefined}
      value={value}
      error={fieldError(error, 'name')}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
