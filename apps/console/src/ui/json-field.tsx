import { Textarea } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { uiTexts } from '../texts/ui.js';

interface JsonFieldProps {
  label: string;
  description?: string;
  required?: boolean;
  value: unknown;
  onChange: (value: unknown) => void;
}

/** One JSON value in a form. What is none yet is kept as typed, and not given on. */
export function JsonField({ value, onChange, ...field }: JsonFieldProps): ReactNode {
  const [typed, setTyped] = useState(() => (value === undefined ? '' : JSON.stringify(value)));
  const take = (text: string): void => {
    setTyped(text);
    const read = readJson(text);
    if (read) onChange(read.value);
  };
  return (
    <Textarea
      {...field}
      autosize
      maxRows={12}
      placeholder="JSON"
      value={typed}
      error={readJson(typed) ? undefined : uiTexts.noJson}
      onChange={(event) => take(event.currentTarget.value)}
    />
  );
}

function readJson(text: string): { value: unknown } | null {
  if (text.trim() === '') return { value: undefined };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return null;
  }
}
