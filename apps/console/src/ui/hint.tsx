import {
  cloneElement,
  type HTMLAttributes,
  lazy,
  type ReactElement,
  type ReactNode,
  Suspense,
  type SyntheticEvent,
  useEffect,
  useRef,
  useState,
} from 'react';

const Tooltip = lazy(() => import('./tooltip.js'));
const restMs = 250;

interface HintProps {
  /** Null: no hint now. A function is not called until the hint shows. */
  label: string | null | (() => string);
  children: ReactElement<HTMLAttributes<HTMLElement>>;
}

/**
 * What an element says while it is pointed at or has keyboard focus. A page has many and shows few: the code is loaded
 * with the first, and nothing renders before. It never re-mounts its child, which may have the focus.
 */
export function Hint({ label, children }: HintProps): ReactNode {
  const [target, setTarget] = useState<HTMLElement | null>(null);
  const [opened, setOpened] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const hide = (): void => {
    clearTimeout(timer.current);
    setOpened(false);
  };
  const show = ({ currentTarget }: SyntheticEvent<HTMLElement>): void => {
    clearTimeout(timer.current);
    setTarget(currentTarget);
    timer.current = setTimeout(() => setOpened(true), restMs);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (!opened) return;
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') hide();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [opened]);
  return (
    <>
      {cloneElement(children, {
        onPointerEnter: show,
        onPointerLeave: hide,
        onFocus: (event) => event.currentTarget.matches(':focus-visible') && show(event),
        onBlur: hide,
      })}
      {target && label !== null && (
        <Suspense>
          <Tooltip
            target={target}
            opened={opened}
            label={typeof label === 'function' ? label() : label}
            withArrow
            multiline
            maw={300}
          />
        </Suspense>
      )}
    </>
  );
}
