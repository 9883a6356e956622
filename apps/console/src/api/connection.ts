/** Whether the system answers. It is lost when a request reaches nobody, and is then polled until it is back. */
type Listener = () => void;

const firstWaitMs = 1_000;
const longestWaitMs = 10_000;
const listeners = new Set<Listener>();
let lost = false;

/** The message of the error of a page whose code could not be fetched. */
export const unreachableCode = 'The code of this page could not be fetched.';

export const connection = {
  isLost: (): boolean => lost,
  subscribe: (listener: Listener): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  /** Reports that a request reached nobody. */
  reportLost: (): void => {
    if (lost) return;
    change(true);
    retryAfter(firstWaitMs);
  },
};

function change(next: boolean): void {
  lost = next;
  for (const listener of listeners) listener();
}

function retryAfter(waitMs: number): void {
  setTimeout(() => void retry(waitMs), waitMs);
}

async function retry(waitMs: number): Promise<void> {
  const answered = await fetch('/health/live', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );
  if (answered) change(false);
  else retryAfter(Math.min(waitMs * 2, longestWaitMs));
}
