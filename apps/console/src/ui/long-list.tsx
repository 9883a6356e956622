import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { uiTexts } from '../texts/ui.js';

/** At first, and with each press. */
const entriesAtOnce = 200;

/**
 * A list of any length that somebody else wrote, such as the keys of an object: its first entries, and the button for
 * the next ones. Elements are made of what is shown alone.
 */
export function useLongList<Entry>(all: readonly Entry[]): { shown: readonly Entry[]; more: ReactNode } {
  const [atMost, setAtMost] = useState(entriesAtOnce);
  const left = all.length - atMost;
  const more = left > 0 && (
    <Button variant="subtle" size="compact-sm" onClick={() => setAtMost(atMost + entriesAtOnce)}>
      {uiTexts.moreItems(Math.min(left, entriesAtOnce), left)}
    </Button>
  );
  return { shown: all.slice(0, atMost), more };
}
