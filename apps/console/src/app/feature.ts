import type { LucideIcon } from 'lucide-react';

export type NavigationGroup = 'home' | 'messages' | 'build' | 'connect' | 'operate';

export interface NavigationItem {
  group: NavigationGroup;
  label: string;
  icon: LucideIcon;
  /** Below `/p/<project>`: `/events`; Home is the empty one. */
  path: `/${string}` | '';
  /** Who lacks it does not see the item. */
  scope?: string;
}

/** What the search of ⌘K finds. */
export interface PaletteEntry {
  id: string;
  label: string;
  description?: string;
  icon?: LucideIcon;
  /** Below `/p/<project>`. */
  path: string;
}

/** What a folder of `features/` adds to the shell: every visit begins with it. */
export interface Feature {
  navigation: NavigationItem[];
}

/** What it adds to ⌘K. */
export interface Palette {
  /** What can be done from anywhere. */
  actions?: PaletteEntry[];
  /** Finds things of this feature; called while typing, with at least two characters. */
  search?: (query: string, signal: AbortSignal) => Promise<PaletteEntry[]>;
  /** Above what `search` finds. */
  label?: string;
  /** Who lacks it is not searched for. */
  scope?: string;
}
