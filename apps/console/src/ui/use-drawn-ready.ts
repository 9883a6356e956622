import { useDeferredValue } from 'react';

/**
 * Defers rendering of loaded data. Rendering each answer at once and in one go blocks the page on a slow machine;
 * deferred rendering can be interrupted.
 */
export function useDrawnReady(ready: boolean): boolean {
  return useDeferredValue(ready) && ready;
}
