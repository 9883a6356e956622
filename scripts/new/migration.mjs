import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../launcher/project.mjs';
import { filled, isKebab, pascal } from './names.mjs';

const usage = 'npm run new:migration -- router contact-notes';
/** Of a migration that only indexes a table which is large where messages have run for long. */
const indexes = '--large-index';
const migration = /^(\d{13})-(.*)\.ts$/;

/**
 * A migration of one schema, placed after the last one.
 * @param {import('./draft.mjs').Draft} draft
 * @param {string[]} args
 * @returns {string[]} what is left to do
 */
export function newMigration(draft, args) {
  const [service = '', name = ''] = args.filter((each) => each !== indexes);
  const isIndex = args.includes(indexes);
  const folders = new Map(
    ['apps', 'libs'].flatMap((parent) =>
      readdirSync(join(root, parent))
        .map((each) => /** @type {const} */ ([each, `${parent}/${each}/src/db`]))
        .filter(([, folder]) => existsSync(join(root, folder, 'schema.ts'))),
    ),
  );
  const folder = folders.get(service);
  if (!folder) {
    throw new Error(`"${service}" has no schema: name one of ${[...folders.keys()].join(', ')} first, as in ${usage}`);
  }
  if (!isKebab(name)) {
    throw new Error(
      `"${name}" cannot be a migration's name: say what it adds in lower-case letters, digits and hyphens, as in ${usage}`,
    );
  }
  const others = readdirSync(join(root, folder)).flatMap((file) => {
    const [, time, what] = migration.exec(file) ?? [];
    return time ? [{ file, time: Number(time), what }] : [];
  });
  const taken = others.find(({ what }) => what === name);
  if (taken) throw new Error(`${folder}/${taken.file} has this name: say what yours adds to it.`);

  // Migrations run in the order of their times. One from a slow clock must not run before those it builds on.
  const time = Math.max(Date.now(), ...others.map((each) => each.time + 1));
  const className = `${pascal(name)}${time}`;
  const schema = `${folder}/schema.ts`;
  draft.add(
    `${folder}/${time}-${name}.ts`,
    isIndex
      ? filled('large-index.ts', { className, name, schema: schemaNameIn(schema), index: name.replaceAll('-', '_') })
      : filled('migration.ts', { className, name }),
  );
  draft.addImport(schema, `import { ${className} } from './${time}-${name}.js';`);
  draft.change(schema, /(\bmigrations: \[[^\]]*?),?\s*\]/, (_all, before) => `${before}, ${className}]`);

  if (isIndex)
    return [
      `Say in ${folder}/${time}-${name}.ts what is indexed; until then nothing starts with it. It runs outside of a transaction: add nothing that cannot be done twice.`,
      'Give the entity the same index (npm test integration test/database shows differences).',
    ];
  return [
    `Write up and down of ${folder}/${time}-${name}.ts; until then nothing starts with it, since an empty migration that ran would never run again.`,
    'Change the entity the same way (npm test integration test/database shows differences); add first, remove one release later.',
    'What a new table holds, above its entity or in scripts/reference/table-notes.mjs; then node scripts/reference.mjs.',
    'If operators have to know what an older release does on the new schema, say so in UPGRADING.md.',
  ];
}

/** @param {string} file */
function schemaNameIn(file) {
  const [, name] = /\bname: '(\w+)'/.exec(readFileSync(join(root, file), 'utf8')) ?? [];
  if (!name) throw new Error(`${file} does not say the name of its schema`);
  return name;
}
