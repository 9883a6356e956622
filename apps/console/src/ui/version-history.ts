import { lazy } from 'react';

/** Most visits of a page look at another tab of it. */
export const VersionHistory = lazy(() => import('./history.js'));
