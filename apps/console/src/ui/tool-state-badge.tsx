import type { ReactNode } from 'react';
import { toolWords } from '../texts/tool-words.js';
import { StatusBadge } from './status-badge.js';

/** Whether models get the tool as it is. */
export function ToolStateBadge({ state }: { state: keyof typeof toolWords.states }): ReactNode {
  return <StatusBadge status={state} label={toolWords.states[state]} />;
}
