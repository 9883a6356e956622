import {
  lazy,
  type ReactElement,
  type ReactNode,
  startTransition,
  Suspense,
  useDeferredValue,
  useEffect,
  useState,
} from 'react';
import { type PopoverProps, type SelectProps, TextInput } from '@mantine/core';
import { ChevronsUpDown } from 'lucide-react';

/** Not a press: the pressed element must not be replaced before it is released. */
const signs = ['pointermove', 'keydown', 'wheel', 'scroll'];

/**
 * Whether somebody has begun to use the page. What only serves interaction renders from then on, not during the first
 * load.
 */
export function useTouched(): boolean {
  const [touched, setTouched] = useState(false);
  useEffect(() => {
    if (touched) return;
    const heard = new AbortController();
    const note = (): void => startTransition(() => setTouched(true));
    for (const sign of signs) window.addEventListener(sign, note, { passive: true, signal: heard.signal });
    return () => heard.abort();
  }, [touched]);
  return touched;
}

/** Whether a first page has been drawn. */
let drawn = false;

/**
 * Defers rendering of loaded data. Rendering each answer at once and in one go blocks the page on a slow machine;
 * deferred rendering can be interrupted. On the first page the frame comes first, also when its data is there already;
 * later pages are drawn at once with data that is there, so that going back finds them as they were.
 */
export function useDrawnReady(ready: boolean): boolean {
  useEffect(() => {
    drawn = true;
  }, []);
  return useDeferredValue(ready, drawn && ready) && ready;
}

interface OnceOpenedProps {
  opened: boolean;
  children: ReactNode;
}

/** What opens over a page: loaded and rendered when it is first opened, then kept, so that closing can be animated. */
export function OnceOpened({ opened, children }: OnceOpenedProps): ReactNode {
  const [ever, setEver] = useState(false);
  if (opened && !ever) setEver(true);
  return ever && <Suspense>{children}</Suspense>;
}

const FullPopover = lazy(() => import('./full-popover.js'));

interface LaterPopoverProps extends Pick<PopoverProps, 'position' | 'width' | 'withArrow'> {
  label?: string;
  button: (onPress: () => void) => ReactElement;
  children: (close: () => void) => ReactNode;
}

/** What a button opens beside itself. The code that positions it is loaded when the button is first pressed. */
export function LaterPopover({ button, children, ...popover }: LaterPopoverProps): ReactNode {
  const [pressed, setPressed] = useState(false);
  const [opened, setOpened] = useState(false);
  useEffect(() => {
    if (!opened) return undefined;
    // Also where what had the focus has lost it, as a button does that was disabled by its press.
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') setOpened(false);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [opened]);
  const target = button(() => {
    setPressed(true);
    setOpened(!opened);
  });
  if (!pressed) return target;
  return (
    <Suspense fallback={target}>
      <FullPopover {...popover} opened={opened} onChange={setOpened} target={target}>
        {children(() => setOpened(false))}
      </FullPopover>
    </Suspense>
  );
}

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
