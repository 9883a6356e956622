import type { LucideIcon } from 'lucide-react';
import type { PaletteEntry } from './feature.js';

const found = 6;

interface Found {
  id: string;
  name: string;
  description?: string;
}

/** Those whose name has what was typed, as ⌘K shows them. */
export function namedEntries(rows: readonly Found[], query: string, icon: LucideIcon, path: string): PaletteEntry[] {
  const wanted = query.toLowerCase();
  return rows
    .filter(({ id, name }) => id === query || name.toLowerCase().includes(wanted))
    .slice(0, found)
    .map(({ id, name, description }) => ({ id, label: name, description, icon, path: `${path}/${id}` }));
}
