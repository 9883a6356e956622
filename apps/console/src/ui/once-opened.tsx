import { type ReactNode, Suspense, useState } from 'react';

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
