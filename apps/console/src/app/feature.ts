import type { LucideIcon } from 'lucide-react';

export type NavigationGroup = 'home' | 'messages' | 'build' | 'connect' | 'operate';

export interface NavigationItem {
  group: NavigationGroup;
  label: string;
  icon: LucideIcon;
  /** Below `/p/<project>`: `/events`. Home is the empty path. */
  path: `/${string}` | '';
  /** Without this scope, the item is not shown. */
  scope?: string;
}

/** A result of the ⌘K search. */
export interface PaletteEntry {
  id: string;
  label: string;
  description?: string;
  icon?: LucideIcon;
  /** Below `/p/<project>`. */
  path: string;
}

/** What a folder of `features/` adds to the shell. Every visit loads it. */
export interface Feature {
  navigation: NavigationItem[];
}

/** What a feature adds to ⌘K. */
export interface Palette {
  /** Actions that are available on every page. */
  actions?: PaletteEntry[];
  /** Finds things of this feature. Called while typing, with at least two characters. */
  search?: (query: string, signal: AbortSignal) => Promise<PaletteEntry[]>;
  /** The heading above what `search` finds. */
  label?: string;
  /** Without this scope, `search` is not called. */
  scope?: string;
}
