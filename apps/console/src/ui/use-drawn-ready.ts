import { useDeferredValue } from 'react';

/**
 * When what has come is drawn: as answers come they are drawn at once and in one go, which on a slow machine keeps the page from
 * answering to anything else; what waits for this is drawn piece by piece.
 */
export function useDrawnReady(ready: boolean): boolean {
  return useDeferredValue(ready) && ready;
}
