import { type SelectProps, TextInput } from '@mantine/core';
import { useIsFetching } from '@tanstack/react-query';
import { ChevronsUpDown } from 'lucide-react';
import { lazy, type ReactNode, startTransition, Suspense, useEffect, useState } from 'react';
import { whenIdle } from './when-idle.js';

const FullSelect = lazy(() => import('./full-select.js'));

interface LaterSelectProps extends SelectProps {
  data: { value: string; label: string }[];
}

/**
 * A Select beside what a page is about: loaded when that is there, or when it is reached for. Until then a field that looks
 * the same stands in its place.
 */
export function LaterSelect(props: LaterSelectProps): ReactNode {
  const { data, value, placeholder, size, 'aria-label': label } = props;
  const [wanted, setWanted] = useState(false);
  const [reached, setReached] = useState<'focused' | 'opened' | null>(null);
  const busy = useIsFetching() > 0;
  useEffect(() => {
    if (!busy && !wanted) return whenIdle(() => startTransition(() => setWanted(true)));
  }, [busy, wanted]);
  const reach = (how: 'focused' | 'opened'): void => {
    setReached(how);
    setWanted(true);
  };
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
      onFocus={() => reach('focused')}
      onClick={() => reach('opened')}
    />
  );
  if (!wanted) return standIn;
  return (
    <Suspense fallback={standIn}>
      <FullSelect {...props} autoFocus={reached !== null} defaultDropdownOpened={reached === 'opened'} />
    </Suspense>
  );
}
