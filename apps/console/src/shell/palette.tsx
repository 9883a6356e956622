import { lazy, type ReactNode, Suspense } from 'react';

const PaletteWindow = lazy(() => import('./palette-window.js'));

interface PaletteProps {
  opened: boolean;
  onClose: () => void;
}

/** ⌘K: everything by its name. Loaded when it is first opened. */
export function Palette(props: PaletteProps): ReactNode {
  return props.opened ? (
    <Suspense fallback={null}>
      <PaletteWindow {...props} />
    </Suspense>
  ) : null;
}
