import type { LucideIcon } from 'lucide-react';
import type { PaletteEntry } from './feature.js';

/** How many results of each kind ⌘K requests and shows. */
export const found = 6;

interface Found {
  id: string;
  name: string;
  description?: string;
}

/** What the API found by name, as entries of ⌘K. */
export function namedEntries(rows: readonly Found[], icon: LucideIcon, path: string): PaletteEntry[] {
  return rows.map(({ id, name, description }) => ({ id, label: name, description, icon, path: `${path}/${id}` }));
}
