import type { PopoverProps } from '@mantine/core';
import { lazy, type ReactElement, type ReactNode, Suspense, useState } from 'react';

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
