import { Select } from '@mantine/core';
import type { ReactNode } from 'react';

interface TimeZoneSelectProps {
  label: string;
  /** An IANA name. */
  value: string;
  error?: string;
  onChange: (zone: string) => void;
}

const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];
const shown = 100;

export function TimeZoneSelect({ label, value, error, onChange }: TimeZoneSelectProps): ReactNode {
  return (
    <Select
      label={label}
      data={zones.includes(value) ? zones : [value, ...zones]}
      searchable
      limit={shown}
      allowDeselect={false}
      value={value}
      error={error}
      onChange={(zone) => zone && onChange(zone)}
    />
  );
}

/** Of this browser. */
export const ownTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
