// Tables as they are after all migrations, whose statements are collected but never run.
import { join } from 'node:path';
import { filesBelow } from '../launcher/fingerprint.mjs';
import { root } from '../launcher/project.mjs';
import { tableNotes } from './table-notes.mjs';
import { below, commentOf, sourceOf, ts } from './sources.mjs';

/** @typedef {{is: string, columns: Map<string, string>, partitioned: boolean, service: string}} Table */

/** @returns {Promise<string>} the page */
export async function tablesPage() {
  const tables = await allTables();
  const bySchema = new Map();
  for (const [name, table] of tables) {
    const [schema, short] = name.split('.');
    bySchema.set(schema, [...(bySchema.get(schema) ?? []), [short, table]]);
  }
  const parts = [...bySchema].map(([schema, list]) => {
    const { service } = list[0][1];
    return [
      `## ${schema}`,
      '',
      service === 'libs/journal'
        ? 'Written by several services, through [libs/journal](../../libs/journal/src/journal.ts) alone.'
        : `Of [${service}](../../apps/${service}/src/db).`,
      '',
      ...list.flatMap(([short, table]) => [
        `### ${schema}.${short}`,
        '',
        `${table.is}${table.partitioned ? ' Partitioned by day.' : ''}`,
        '',
        ...[...table.columns].map(([column, type]) => `- \`${column}\` ${type}`),
        '',
      ]),
    ].join('\n');
  });
  return [
    '# Tables',
    '',
    'One Postgres database; a schema a service, which no other service reads. `journal` is the one that they share.',
    'Who keeps which row until when: [custody](../architecture.md#custody). For how long: [retention](../events.md#retention).',
    '',
    ...parts.flatMap((part) => [part, '']),
  ].join('\n');
}

/** @returns {Promise<Map<string, Table>>} by `schema.table` */
async function allTables() {
  const { allSchemas } = await import(join(root, 'dist/libs/database/src/all-schemas.js'));
  const comments = entityComments();
  /** @type {Map<string, Table>} */
  const tables = new Map();
  for (const { schema, service } of await allSchemas()) {
    for (const Migration of schema.migrations) {
      const statements = /** @type {string[]} */ ([]);
      const query = async (/** @type {string} */ statement) => {
        statements.push(statement.trim());
        // Who builds a large index asks until it has its lock.
        return statement.includes('pg_try_advisory_lock') ? [{ locked: true }] : [];
      };
      const runner = { query };
      await new Migration().up(runner);
      for (const statement of statements) apply(statement, tables, service ?? 'libs/journal');
    }
  }
  const known = new Set([...tables.keys()].flatMap((name) => [name, name.split('.')[1] ?? '']));
  const unknown = Object.keys(tableNotes).filter((name) => !known.has(name));
  if (unknown.length > 0) throw new Error(`scripts/reference/table-notes.mjs tells of no table: ${unknown.join(', ')}`);
  for (const [name, table] of tables) {
    table.is = comments.get(name) || tableNotes[name] || tableNotes[name.split('.')[1] ?? ''] || '';
    if (!table.is) throw new Error(`Say what ${name} holds: above its entity, or in scripts/reference/table-notes.mjs`);
  }
  return tables;
}

/** @param {string} statement @param {Map<string, Table>} tables @param {string} service */
function apply(statement, tables, service) {
  const created = /^CREATE (?:UNLOGGED )?TABLE (\S+) \(/.exec(statement)?.[1];
  if (created) {
    const { body, rest } = inParentheses(statement);
    const table = { is: '', columns: new Map(), partitioned: rest.includes('PARTITION BY'), service };
    for (const part of parts(body)) setColumn(table, part);
    tables.set(created, table);
    return;
  }
  const drop = /^DROP TABLE (.+)$/s.exec(statement);
  if (drop) for (const name of (drop[1] ?? '').split(',')) tables.delete(name.trim());
  const alter = /^ALTER TABLE (\S+)\s+([\s\S]+)$/.exec(statement);
  const table = alter?.[1] && tables.get(alter[1]);
  if (!alter || !table) return;
  const renamed = /^RENAME TO (\S+)$/.exec(alter[2] ?? '');
  if (renamed) {
    tables.delete(alter[1] ?? '');
    tables.set(`${alter[1]?.split('.')[0]}.${renamed[1]}`, table);
    return;
  }
  for (const part of parts(alter[2] ?? '')) {
    const dropped = /^DROP (?:COLUMN )?(?:IF EXISTS )?(?!CONSTRAINT\b)(\S+)/.exec(part);
    const typed = /^ALTER (?:COLUMN )?(\S+) TYPE (\S+)/.exec(part);
    const moved = /^RENAME (?:COLUMN )?(\S+) TO (\S+)$/.exec(part);
    if (/^ADD (?!CONSTRAINT\b|UNIQUE\b|PRIMARY\b|CHECK\b|FOREIGN\b)/.test(part)) {
      setColumn(table, part.replace(/^ADD (?:COLUMN )?(?:IF NOT EXISTS )?/, ''));
    } else if (dropped?.[1]) table.columns.delete(dropped[1].replaceAll('"', ''));
    else if (typed?.[1]) table.columns.set(typed[1].replaceAll('"', ''), typed[2] ?? '');
    else if (moved?.[1]) {
      table.columns.set(moved[2] ?? '', table.columns.get(moved[1]) ?? '');
      table.columns.delete(moved[1]);
    }
  }
}

/** The text within a statement's first parentheses, and what follows them. @param {string} statement */
function inParentheses(statement) {
  const start = statement.indexOf('(');
  let depth = 0;
  for (let at = start; at < statement.length; at += 1) {
    if (statement[at] === '(') depth += 1;
    if (statement[at] === ')') depth -= 1;
    if (depth === 0) return { body: statement.slice(start + 1, at), rest: statement.slice(at + 1) };
  }
  throw new Error(`The parentheses of a statement do not close: ${statement.slice(0, 80)}`);
}

/** Splits at commas outside of parentheses and quotes. @param {string} body */
function parts(body) {
  const text = body.replace(/--.*$/gm, '');
  const found = [''];
  let depth = 0;
  let quoted = false;
  for (const letter of text) {
    if (letter === "'") quoted = !quoted;
    if (!quoted && (letter === '(' || letter === '[')) depth += 1;
    if (!quoted && (letter === ')' || letter === ']')) depth -= 1;
    if (letter === ',' && depth === 0 && !quoted) found.push('');
    else found[found.length - 1] += letter;
  }
  return found.map((part) => part.replace(/\s+/g, ' ').trim()).filter((part) => part !== '');
}

/** @param {Table} table @param {string} part */
function setColumn(table, part) {
  if (/^(PRIMARY|UNIQUE|CONSTRAINT|CHECK|FOREIGN|EXCLUDE|LIKE)\b/.test(part)) return;
  const column = /^"?(\w+)"? (.+)$/.exec(part);
  if (!column) return;
  const [, name = '', rest = ''] = column;
  const type =
    /^(.+?)(?= (?:NOT NULL|NULL|DEFAULT|CONSTRAINT|PRIMARY|UNIQUE|REFERENCES|GENERATED|CHECK|COLLATE)\b|$)/.exec(
      rest,
    )?.[1];
  const can = /\bNOT NULL\b|\bPRIMARY KEY\b/.test(rest) ? '' : ', may be null';
  table.columns.set(name, `${type ?? rest}${can}`);
}

/** The comments above entity classes, by table. @returns {Map<string, string>} */
function entityComments() {
  const comments = new Map();
  const files = ['apps', 'libs'].flatMap((folder) => filesBelow(join(root, folder)));
  for (const path of files.filter((file) => file.endsWith('.entity.ts'))) {
    for (const node of below(sourceOf(path.slice(root.length + 1)))) {
      if (!ts.isClassDeclaration(node)) continue;
      const entity = ts.getDecorators(node)?.find((each) => each.expression.getText().startsWith('Entity('));
      const named = entity && /schema: '(\w+)', name: '(\w+)'/.exec(entity.getText());
      if (named) comments.set(`${named[1]}.${named[2]}`, commentOf(node));
    }
  }
  return comments;
}
