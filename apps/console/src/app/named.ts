import type { LucideIcon } from 'lucide-react';
import type { PaletteEntry } from './feature.js';

/** So many of each kind ⌘K asks for and shows. */
export const found = 6;

interface Found {
  id: string;
  name: string;
  description?: string;
}

/** What the API found by name, as ⌘K shows it. */
export function namedEntries(rows: readonly Found[], icon: LucideIcon, path: string): PaletteEntry[] {
  return rows.map(({ id, name, description }) => ({ id, label: name, description, icon, path: `${path}/${id}` }));
}
