import { type RefObject, useEffect, useRef } from 'react';

/** In pixels: so near to its end, a reader is at the end. */
const near = 80;

/**
 * Keeps the end of an element in view while it grows, as long as the reader is there: its texts and its agents' work
 * arrive after it. On a phone there is more below.
 * @param ready whether it has what it begins with
 * @returns ends that, for a reader who asks for what is further up
 */
export function useEnd(element: RefObject<HTMLElement | null>, ready: boolean): () => void {
  const isAtEnd = useRef(true);
  useEffect(() => {
    const of = element.current;
    if (!of || !ready) return undefined;
    let height = of.offsetHeight;
    const follow = (): void => {
      height = of.offsetHeight;
      if (isAtEnd.current) of.scrollIntoView({ block: 'end' });
    };
    const look = (): void => {
      // A frame says that it scrolled before it says that the element grew: what grew between is not a reader who left.
      if (of.offsetHeight !== height) return;
      isAtEnd.current = of.getBoundingClientRect().bottom - window.innerHeight < near;
    };
    follow();
    const resized = new ResizeObserver(follow);
    resized.observe(of);
    // Whatever scrolls: the page, or a part of it.
    document.addEventListener('scroll', look, { capture: true, passive: true });
    return () => {
      resized.disconnect();
      document.removeEventListener('scroll', look, { capture: true });
    };
  }, [element, ready]);
  return () => {
    isAtEnd.current = false;
  };
}
