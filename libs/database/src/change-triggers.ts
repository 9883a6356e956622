/** One channel per service: its own replicas listen to it, and those of services that cache what it gives them. */
export const channelOf = (schema: string): string => `gatehouse_${schema}`;

export interface AnnouncedChange {
  table: string;
  /** The topic under which the change is announced. */
  topic: string;
  /** The column whose value is announced with it; absent: anything of the topic may have changed. */
  key?: string;
  /** An update of only these columns is not announced. */
  except?: string[];
}

/**
 * Statements that make a schema announce changes, in the transaction that makes them (`ChangeListener` hears of them
 * after the commit). Triggers, so that no writer has to remember, not even a replica of the previous release.
 */
export function changeTriggers(schema: string, changes: AnnouncedChange[]): string[] {
  return [
    `CREATE FUNCTION ${schema}.tell_change() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       PERFORM pg_notify('${channelOf(schema)}', TG_ARGV[0] || ' ' ||
         coalesce(to_jsonb(NEW) ->> TG_ARGV[1], to_jsonb(OLD) ->> TG_ARGV[1], ''));
       RETURN NULL;
     END $$`,
    ...changes.flatMap(({ table, topic, key = '', except = [] }) => {
      const on = `ON ${schema}.${table} FOR EACH ROW`;
      const call = `EXECUTE FUNCTION ${schema}.tell_change('${topic}', '${key}')`;
      const compared = (row: string): string => `to_jsonb(${row}) - '{${except.join()}}'::text[]`;
      return [
        `CREATE TRIGGER ${table}_told AFTER INSERT OR DELETE ${on} ${call}`,
        `CREATE TRIGGER ${table}_update_told AFTER UPDATE ${on} WHEN (${compared('OLD')} IS DISTINCT FROM ${compared('NEW')}) ${call}`,
      ];
    }),
  ];
}

/** Reverts `changeTriggers`. */
export const dropChangeTriggers = (schema: string): string => `DROP FUNCTION ${schema}.tell_change() CASCADE`;
