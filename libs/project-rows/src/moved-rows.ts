/** A table whose rows go along when their project moves to another installation. */
export interface MovedTable {
  /** Schema-qualified. */
  name: string;
  /** SQL: whether the row `t` is of the project `$1` of the organization `$2`. A column `organization_id` is asked anyway. */
  of: string;
  /** What its rows are paged by, if it has no primary key: all rows with the same value are in one page. */
  pagedBy?: string;
  /** What the service may do with rows that are there: `add`: nothing. Absent: everything. */
  may?: 'add' | 'change';
  /**
   * Columns by which no two rows differ: an erasure takes their words out, or they are packed. An aborted move takes them where
   * the service may not delete: they are nullable there.
   */
  words?: string[];
  /** Rows are added while the project moves. There are as many there as there were here before the copy, or more. */
  grows?: true;
  /** A column with the id of a receipt: where the project has left, what the journal says of that is deleted with the row. */
  receipt?: string;
  /** Its rows are deleted by their age only. Absent: those that the service may not delete. */
  ages?: true;
}

/** Something that has to end before a project is copied: its outcome could get lost between the copies. */
export interface OpenWork {
  /** For people: a plural. */
  what: string;
  /** SQL that counts it, of the project `$1`, without what `$2` lists: that waits in another service as a row that moves. */
  count: string;
}

/** What a service has of a project, and what of it moves. Each table of the schema is in exactly one of the lists. */
export interface MovedRows {
  schema: string;
  /** A table that others refer to comes before them. */
  moved: MovedTable[];
  /** By table: why its rows stay. */
  stays: Record<string, string>;
  open: OpenWork[];
  /**
   * SQL that deletes what the service may not delete itself of a project that has left and comes back: of `$1`, of the organization
   * `$2`, at most `$3` of each. As `gone`, how many rows; 0: none is left.
   */
  forget?: string;
  /** SQL: as `id`, turns or deliveries of the project `$1` that wait here as rows that move, and nobody works on. */
  waiting?: string;
}

/** A table with a `project_id` of its own. */
export const ofProject = (name: string, more: Omit<MovedTable, 'name' | 'of'> = {}): MovedTable => ({
  name,
  of: 't.project_id = $1',
  ...more,
});

/** A table whose rows belong to one of another table, which has a `project_id` and an `organization_id`. */
export const through = (
  name: string,
  column: string,
  parent: string,
  key = 'id',
  more: Omit<MovedTable, 'name' | 'of'> = {},
): MovedTable => ({
  name,
  of: `EXISTS (SELECT FROM ${parent} p WHERE p.${key} = t.${column} AND p.project_id = $1 AND p.organization_id = $2)`,
  ...more,
});
