/**
 * Does something once the browser has nothing better to do.
 * @returns takes it back
 */
export function whenIdle(work: () => void): () => void {
  // Safari has none of it.
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(work, 200);
    return () => clearTimeout(timer);
  }
  const id = window.requestIdleCallback(work);
  return () => window.cancelIdleCallback(id);
}
