import { type SelectProps, TextInput } from '@mantine/core';
import { ChevronsUpDown } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useTouched } from './use-touched.js';

const FullSelect = lazy(() => import('./full-select.js'));

interface LaterSelectProps extends SelectProps {
  data: { value: string; label: string }[];
}

/** A secondary Select, loaded once somebody uses the page. Until then a field that looks the same takes its place. */
export function LaterSelect(props: LaterSelectProps): ReactNode {
  const { data, value, placeholder, size, 'aria-label': label } = props;
  const touched = useTouched();
  const [reached, setReached] = useState<'focused' | 'opened' | null>(null);
  const standIn = (
    <TextInput
      readOnly
      role="combobox"
      aria-haspopup="listbox"
      aria-expanded={false}
      aria-label={label}
      placeholder={placeholder}
      size={size}
      value={data.find((option) => option.value === value)?.label ?? ''}
      rightSection={<ChevronsUpDown size={14} color="var(--mantine-color-placeholder)" aria-hidden />}
      onFocus={() => setReached('focused')}
      // On mouse down: the Select may replace this field before the button is released, and no click would follow.
      onMouseDown={(event) => {
        event.preventDefault();
        setReached('opened');
      }}
    />
  );
  if (!touched && reached === null) return standIn;
  return (
    <Suspense fallback={standIn}>
      <FullSelect {...props} autoFocus={reached !== null} defaultDropdownOpened={reached === 'opened'} />
    </Suspense>
  );
}
