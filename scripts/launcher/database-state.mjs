import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildId } from './build.mjs';
import { connect } from './postgres.mjs';
import { writePrivate } from './private-file.mjs';

/** What the setup steps leave behind: roles with their passwords, and schemas with their privileges. */
const PREPARED = `
  SELECT (SELECT system_identifier FROM pg_control_system())::text AS server,
         (SELECT oid FROM pg_database WHERE datname = current_database())::text AS database,
         (SELECT string_agg(concat_ws(' ', rolname, rolpassword, rolsuper, rolcreaterole), ',' ORDER BY rolname)
            FROM pg_authid WHERE rolname LIKE 'gatehouse\\_%') AS roles,
         (SELECT string_agg(concat_ws(' ', nspname, nspowner, nspacl::text), ',' ORDER BY nspname)
            FROM pg_namespace WHERE nspname NOT LIKE 'pg\\_%') AS schemas`;
const MIGRATED = `SELECT quote_ident(schemaname) AS schema FROM pg_tables WHERE tablename = 'migration' ORDER BY 1`;

/**
 * Whether the database is in the state in which this build's roles and migrations steps left it. One query replaces two
 * processes. Only for our own server: only there may the launcher read all that it compares.
 * @param {{dataDir: string, url: string, isOurs: boolean, passwords: string}} of url: as an administrator; passwords: that
 *   the roles are to have
 */
export function databaseState({ dataDir, url, isOurs, passwords }) {
  const file = join(dataDir, 'database.json');
  return {
    /** @returns {Promise<boolean>} */
    async holds() {
      if (!isOurs || !existsSync(file)) return false;
      return JSON.parse(readFileSync(file, 'utf8')).state === (await stateOf(url, passwords));
    },
    /** Stores the state for the next start. */
    async remember() {
      if (isOurs) writePrivate(file, { state: await stateOf(url, passwords) });
    },
  };
}

/** @param {string} url @param {string} passwords */
async function stateOf(url, passwords) {
  const client = await connect(url);
  try {
    const { rows: prepared } = await client.query(PREPARED);
    const { rows: migrated } = await client.query(MIGRATED);
    const each = migrated.map(({ schema }) => `SELECT '${schema}' AS schema, name FROM ${schema}.migration`);
    const ran = each.length > 0 ? (await client.query(`${each.join(' UNION ALL ')} ORDER BY 1, 2`)).rows : [];
    return createHash('sha256')
      .update(JSON.stringify([buildId(), passwords, prepared, ran]))
      .digest('hex');
  } finally {
    await client.end();
  }
}
