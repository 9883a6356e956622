import type { Page } from '../api/project-query.js';

/** A version of something that people change, as the API lists it. */
export interface Version {
  version: number;
  state: 'in_force' | 'draft' | 'earlier';
  changed: readonly string[];
  made_by: string | null;
  created_at: string;
  note?: string;
  /** The version that it was made from; absent: the one before it. */
  based_on?: number | null;
  restored_from?: number | null;
  promoted_by?: string | null;
  promoted_at?: string | null;
}

interface Differences {
  differences: readonly { field: string; before?: unknown; after?: unknown }[];
}

/** Something with versions, and how the API is asked about them. */
export interface Versioned {
  /** Its key; everything below its first part is refetched after a change. */
  key: readonly [string, string | number];
  /** Also refetched. */
  touches?: readonly string[];
  /** What restoring needs. */
  scope: string;
  list: (query: { limit: number; cursor?: string | undefined }, signal: AbortSignal) => Promise<Page<Version>>;
  differences: (version: number, withVersion: number, signal: AbortSignal) => Promise<Differences>;
  restore: (version: number, how: { note: string; instead_of: number }) => Promise<unknown>;
  /** What putting another version in force is called; absent: restoring. */
  words?: {
    act: (state: Version['state']) => string;
    title: (version: number) => string;
    hint: (inForce: number) => string;
    done: (version: number) => string;
  };
  /** Whoever puts a version in force may say why. */
  takesNote?: boolean;
  /** Who made a version of which the API names nobody. */
  nobody?: string;
}
