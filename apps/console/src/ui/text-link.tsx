import { Anchor } from '@mantine/core';
import { Link, type ToOptions } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** A link within the console, in a line of text. */
export function TextLink({ to, size, children }: { to: ToOptions; size?: string; children: ReactNode }): ReactNode {
  return (
    <Anchor {...(size ? { size } : { inherit: true })} renderRoot={(props) => <Link {...props} {...to} />}>
      {children}
    </Anchor>
  );
}
