import { useDeferredValue, useEffect } from 'react';

/** Whether a first page has been drawn. */
let drawn = false;

/**
 * Defers rendering of loaded data. Rendering each answer at once and in one go blocks the page on a slow machine;
 * deferred rendering can be interrupted. On the first page the frame comes first, also when its data is there already;
 * later pages are drawn at once with data that is there, so that going back finds them as they were.
 */
export function useDrawnReady(ready: boolean): boolean {
  useEffect(() => {
    drawn = true;
  }, []);
  return useDeferredValue(ready, drawn && ready) && ready;
}
