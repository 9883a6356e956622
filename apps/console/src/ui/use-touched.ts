import { startTransition, useEffect, useState } from 'react';

/** Not a press: the pressed element must not be replaced before it is released. */
const signs = ['pointermove', 'keydown', 'wheel', 'scroll'];

/**
 * Whether somebody has begun to use the page. What only serves interaction renders from then on, not during the first
 * load.
 */
export function useTouched(): boolean {
  const [touched, setTouched] = useState(false);
  useEffect(() => {
    if (touched) return;
    const heard = new AbortController();
    const note = (): void => startTransition(() => setTouched(true));
    for (const sign of signs) window.addEventListener(sign, note, { passive: true, signal: heard.signal });
    return () => heard.abort();
  }, [touched]);
  return touched;
}
