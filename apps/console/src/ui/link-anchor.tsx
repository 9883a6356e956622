import { Anchor, type AnchorProps } from '@mantine/core';
import { Link, type ToOptions } from '@tanstack/react-router';
import type { ReactNode } from 'react';

interface LinkAnchorProps extends AnchorProps {
  to: ToOptions;
  children: ReactNode;
}

/** A link to another page of the console. */
export function LinkAnchor({ to, children, ...anchor }: LinkAnchorProps): ReactNode {
  return (
    <Anchor {...anchor} renderRoot={(props) => <Link {...props} {...to} />}>
      {children}
    </Anchor>
  );
}
