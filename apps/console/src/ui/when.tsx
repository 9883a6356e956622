import { type ReactNode, useSyncExternalStore } from 'react';
import { uiTexts } from '../texts/ui.js';
import { Hint } from './hint.js';
import { once } from './numbers.js';

interface WhenProps {
  at: string | null | undefined;
  /** `3 min ago` instead of the time. */
  relative?: boolean;
}

const local = once(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' }));
const timeOfDay = once(() => new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' }));

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** A time in the reader's time zone, and in UTC when pointed at. */
export function When({ at, relative = false }: WhenProps): ReactNode {
  const now = useNow();
  if (!at) return uiTexts.never;
  const time = new Date(at);
  const text = relative ? ago(time, now) : shortly(time, now);
  return (
    <Hint label={() => `${local().format(time)} · ${time.toISOString().replace('T', ' ').replace('Z', ' UTC')}`}>
      <time dateTime={at} style={{ whiteSpace: 'nowrap' }}>
        {text}
      </time>
    </Hint>
  );
}

const instant = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

/** A sentence of the server, with its times as the reader has them. */
export function TimedText({ text }: { text: string }): ReactNode {
  return text
    .split(instant)
    .map((part, index) => (index % 2 === 1 ? <When key={`${index} ${part}`} at={part} /> : part));
}

function shortly(time: Date, now: number): string {
  return time.toDateString() === new Date(now).toDateString() ? timeOfDay().format(time) : local().format(time);
}

function ago(time: Date, now: number): string {
  const distanceMs = time.getTime() - now;
  // The page's clock ticks slowly: what arrived since its last tick is not in the future.
  const seconds = distanceMs > 0 && distanceMs <= tickMs ? 0 : distanceMs / 1_000;
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ['s', 1];
  const count = Math.round(Math.abs(seconds) / size);
  if (count === 0) return uiTexts.justNow;
  return seconds < 0 ? uiTexts.ago(count, unit) : uiTexts.ahead(count, unit);
}

/** One clock for all times of a page. */
const tickMs = 10_000;
let now = Date.now();
const listeners = new Set<() => void>();
setInterval(() => {
  now = Date.now();
  for (const listener of listeners) listener();
}, tickMs);

function useNow(): number {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => now,
  );
}
