import type { ReactNode } from 'react';
import { Hint } from './hint.js';
import { StatusBadge, toneOf } from './status-badge.js';

/** What became of a message, as the server says it everywhere: one word, and why. */
interface MessageStateProps {
  state: string;
  why: string;
}

/** The word, with its reason where it is pointed at. */
export function MessageState({ state, why }: MessageStateProps): ReactNode {
  return (
    <Hint label={why}>
      <span>
        <StatusBadge status={state} />
      </span>
    </Hint>
  );
}

/** States that need no reason beside them: all is well, or nothing is known yet. */
const plain: readonly string[] = ['delivered', 'routed', 'delivering', 'working', 'open', 'verification', 'challenge'];

/** The reason for the row of a list; null where the word says enough. */
export function reasonInRow({ state, why }: MessageStateProps): string | null {
  return plain.includes(state) && toneOf(state) !== 'bad' ? null : why;
}
