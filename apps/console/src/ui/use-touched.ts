import { startTransition, useEffect, useState } from 'react';

/** Not a press: what is pressed must not be replaced before it is let go. */
const signs = ['pointermove', 'keydown', 'wheel', 'scroll'];

/** Whether somebody has begun to use the page: what is there for hands alone is drawn from then on, and not while it is first read. */
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
