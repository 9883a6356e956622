import type { LucideIcon } from 'lucide-react';

/** A result of the ⌘K search. */
export interface PaletteEntry {
  id: string;
  label: string;
  description?: string;
  icon?: LucideIcon;
  /** Below `/p/<project>`. */
  path: string;
}

/** What a feature adds to ⌘K. */
export interface Palette {
  /** Pages that the navigation does not list. */
  pages?: PaletteEntry[];
  /** Actions that are available on every page. */
  actions?: PaletteEntry[];
  /** Finds things of this feature. Called while typing, with at least two characters. */
  search?: (query: string, signal: AbortSignal) => Promise<PaletteEntry[]>;
  /** The heading above what `search` finds. */
  label?: string;
  /** Without this scope, `search` is not called. */
  scope?: string;
}

/** How many results of each kind ⌘K requests and shows. */
export const limit = 6;

interface Listed<Row> {
  label: string;
  scope: string;
  icon: LucideIcon;
  /** Of the list; what is found is below it, by its id. */
  path: string;
  actions?: PaletteEntry[];
  ask: (query: string, signal: AbortSignal) => Promise<{ data: readonly Row[] }>;
  entry: (row: Row) => { label: string; description?: string | null };
  /** Answers a query that needs no list: the id of a thing, which is opened by it. */
  direct?: (query: string) => PaletteEntry[] | null;
}

/** Finds rows of a list by what was typed. */
export function listed<Row extends { id: string | number }>(of: Listed<Row>): Palette {
  const { label, scope, icon, path, actions, ask, entry, direct } = of;
  return {
    actions,
    label,
    scope,
    search: async (query, signal) => {
      const known = direct?.(query);
      if (known) return known;
      const { data } = await ask(query, signal);
      return data.map((row) => {
        const { label: name, description } = entry(row);
        return {
          id: String(row.id),
          label: name,
          description: description ?? undefined,
          icon,
          path: `${path}/${row.id}`,
        };
      });
    },
  };
}

/** Whether the text contains what was typed; for lists that the API does not search. */
export const contains = (query: string, text: string): boolean => text.toLowerCase().includes(query.toLowerCase());
