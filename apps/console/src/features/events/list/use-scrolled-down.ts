import { useEffect, useState } from 'react';

/** Further down, a row on top would move all that is read. */
const heldFrom = 120;

export function useScrolledDown(): boolean {
  const [down, setDown] = useState(false);
  useEffect(() => {
    const look = (): void => setDown(window.scrollY > heldFrom);
    look();
    window.addEventListener('scroll', look, { passive: true });
    return () => window.removeEventListener('scroll', look);
  }, []);
  return down;
}
