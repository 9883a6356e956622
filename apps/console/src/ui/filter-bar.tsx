import { Button, Group, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { Search, X } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { uiTexts } from '../texts/ui.js';
import { LaterSelect } from './later.js';
import classes from './filter-bar.module.css';

interface FilterBarProps {
  /** Whether there is something to clear, if the bar offers it. */
  filtered?: boolean;
  onClear?: () => void;
  /** At the end: a live indicator, a count. */
  end?: ReactNode;
  children: ReactNode;
}

/** The filters of a list. Their values are in the URL: each filter reads its value there and navigates. */
export function FilterBar({ filtered = false, onClear, end, children }: FilterBarProps): ReactNode {
  return (
    <Group gap="xs" mb="sm" role="search" className={classes.bar}>
      {children}
      {filtered && (
        <Button variant="subtle" color="gray" leftSection={<X size={14} aria-hidden />} onClick={onClear}>
          {uiTexts.clearFilters}
        </Button>
      )}
      {end && <div className={classes.end}>{end}</div>}
    </Group>
  );
}

interface FilterTextProps {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  /** Shorter texts are not searched for. */
  minLength?: number;
}

const typingMs = 300;

/** Text to search for. The list follows once typing pauses. */
export function FilterText({ label, value = '', onChange, minLength = 1 }: FilterTextProps): ReactNode {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const ask = useDebouncedCallback((text: string) => {
    if (text === '' || text.length >= minLength) onChange(text || undefined);
  }, typingMs);
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      size="sm"
      leftSection={<Search size={14} aria-hidden />}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        ask(event.currentTarget.value.trim());
      }}
    />
  );
}

interface FilterSelectProps<Value extends string> {
  label: string;
  /** Shown while the filter is off. */
  any: string;
  value: Value | undefined;
  options: readonly { value: Value; label: string }[];
  onChange: (value: Value | undefined) => void;
}

export function FilterSelect<Value extends string>(props: FilterSelectProps<Value>): ReactNode {
  const { label, any, value, options, onChange } = props;
  return (
    <LaterSelect
      aria-label={label}
      placeholder={any}
      size="sm"
      clearable
      searchable={options.length > 8}
      data={options.map((option) => ({ ...option }))}
      value={value ?? null}
      onChange={(chosen) => onChange(options.find((option) => option.value === chosen)?.value)}
    />
  );
}
