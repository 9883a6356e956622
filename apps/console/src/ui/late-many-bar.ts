import { lazy } from 'react';

/** The bar of what is selected; loaded with the first selection. The type of a lazy component has no parameters. */
export const LateManyBar = lazy(() => import('./many-bar.js')) as unknown as typeof import('./many-bar.js').default;
