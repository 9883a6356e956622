import { Button, type ButtonProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { Hint } from './hint.js';

interface ActionButtonProps extends ButtonProps {
  /** Why it cannot be pressed now; null or absent: it can. */
  reason?: string | null;
  onClick?: () => void;
  children: ReactNode;
}

/** A button that says why it cannot be pressed. It stays focusable, so that keyboard users reach the reason too. */
export function ActionButton({ reason = null, onClick, children, ...button }: ActionButtonProps): ReactNode {
  return (
    <Hint label={reason}>
      <Button
        {...button}
        data-disabled={reason !== null || undefined}
        aria-disabled={reason !== null || undefined}
        aria-description={reason ?? undefined}
        onClick={reason === null ? onClick : undefined}
      >
        {children}
      </Button>
    </Hint>
  );
}
