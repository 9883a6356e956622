import { Button, Divider, Stack, TextInput } from '@mantine/core';
import { CalendarClock } from 'lucide-react';
import type { ReactNode } from 'react';
import { uiTexts } from '../texts/ui.js';
import { LaterPopover } from './later.js';
import { once } from './numbers.js';

interface Range {
  since: string | undefined;
  until: string | undefined;
}

interface FilterTimesProps extends Range {
  /** Shown while the filter is off. */
  any: string;
  /** Spans back from now, by their name in the URL. */
  spans: readonly { value: string; label: string }[];
  onChange: (range: Range) => void;
}

const texts = uiTexts.times;
const shown = once(
  () => new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' }),
);

/** A span back from now, or a time from and until, in the reader's time zone. */
export function FilterTimes({ any, spans, since, until, onChange }: FilterTimesProps): ReactNode {
  const span = spans.find(({ value }) => value === since);
  return (
    <LaterPopover
      label={texts.label}
      position="bottom-start"
      width={240}
      button={(onPress) => (
        <Button
          variant="default"
          fw={400}
          leftSection={<CalendarClock size={14} aria-hidden />}
          onClick={onPress}
          aria-haspopup="dialog"
        >
          {span?.label ?? rangeText(since, until) ?? any}
        </Button>
      )}
    >
      {(close) => (
        <Stack gap={4}>
          {[{ value: undefined, label: any }, ...spans].map(({ value, label }) => (
            <Button
              key={label}
              variant={value === since && !until ? 'light' : 'subtle'}
              color={value === since && !until ? undefined : 'gray'}
              justify="flex-start"
              onClick={() => {
                close();
                onChange({ since: value, until: undefined });
              }}
            >
              {label}
            </Button>
          ))}
          <Divider my={4} />
          <Moment
            label={texts.from}
            value={span ? undefined : since}
            onChange={(from) => onChange({ since: from, until })}
          />
          <Moment label={texts.until} value={until} onChange={(to) => onChange({ since, until: to })} />
        </Stack>
      )}
    </LaterPopover>
  );
}

interface MomentProps {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

function Moment({ label, value, onChange }: MomentProps): ReactNode {
  return (
    <TextInput
      type="datetime-local"
      label={label}
      value={value ? localText(new Date(value)) : ''}
      onChange={({ currentTarget }) =>
        onChange(currentTarget.value ? new Date(currentTarget.value).toISOString() : undefined)
      }
    />
  );
}

const minuteMs = 60_000;

/** In the format of a local time field. */
const localText = (at: Date): string =>
  new Date(at.getTime() - at.getTimezoneOffset() * minuteMs).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length);

function rangeText(since: string | undefined, until: string | undefined): string | null {
  if (!since && !until) return null;
  const text = (at: string | undefined): string => (at ? shown().format(new Date(at)) : '…');
  return `${text(since)} – ${text(until)}`;
}
