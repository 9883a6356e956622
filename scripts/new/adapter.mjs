import { camel, filled, isKebab, pascal, title, upper } from './names.mjs';

/** The example that external adapter authors start from. The conformance kit is tested against it. */
const example = 'libs/adapter-sdk/template';
const list = 'apps/adapters/src/shipped-adapters.ts';

/**
 * Copies the SDK's example under another name, with calls to its provider as the adapters here make them. It passes the
 * conformance kit from the first day, and is changed from there.
 * @param {import('./draft.mjs').Draft} draft
 * @param {string[]} args
 * @returns {string[]} what is left to do
 */
export function newAdapter(draft, [name = '']) {
  if (!isKebab(name) || name.length > 63) {
    throw new Error(
      `"${name}" cannot be an adapter's slug: use lower-case letters, digits and hyphens, as in npm run new:adapter -- acme-chat`,
    );
  }
  const folder = `apps/adapters/src/${name}`;
  if (draft.exists(folder)) throw new Error(`${folder} is there already: choose another name, or delete it first.`);
  const named = (/** @type {string} */ text) => renamed(text, name);
  const values = { name, Name: pascal(name), NAME: upper(name), title: title(name) };

  draft.add(`${folder}/${name}.adapter.ts`, named(draft.read(`${example}/src/acme.adapter.ts`)));
  draft.add(`${folder}/${name}.manifest.ts`, named(draft.read(`${example}/src/acme.manifest.ts`)));
  draft.add(`${folder}/${name}-api.ts`, filled('adapter-api.ts', values));
  draft.add(`${folder}/${name}-conformance.unit.spec.ts`, filled('adapter-conformance.unit.spec.ts', values));
  const fixtures = 'conformance/conformance.json';
  draft.add(`${folder}/${fixtures}`, named(draft.read(`${example}/${fixtures}`)));
  draft.add(`docs/adapters/${name}.md`, filled('adapter.md', values));

  const { Name, NAME } = values;
  draft.addImport(list, `import { ${NAME}_API_URL } from './${name}/${name}-api.js';`);
  draft.addImport(list, `import { create${Name}Adapter } from './${name}/${name}.adapter.js';`);
  draft.change(list, /\n {2}\];\n/, (end) => `\n    create${Name}Adapter({ ...http, url: ${NAME}_API_URL }),${end}`);

  return [
    `Write what ${values.title} does: it still answers like the SDK's example; change or delete those parts.`,
    `npm test unit apps/adapters/src/${name} shows which points of the contract it meets (docs/conformance.md).`,
    'An address of its API that can be set: apps/adapters/src/env.ts, as telegramApiUrl; then node scripts/reference.mjs.',
    `docs/adapters/${name}.md, its line in docs/adapters/README.md, and one in CHANGELOG.md.`,
  ];
}

/** In one pass: the new name may contain the old one.  @param {string} text  @param {string} name */
function renamed(text, name) {
  const words =
    /(@gatehouse\/adapter-sdk)|(ACME)(?=_)|(\bacme(?=[A-Z]))|((?<=[a-z])Acme|Acme(?=[A-Z]))|(Acme(?: Chat)?)|acme/g;
  return text.replaceAll(words, (_all, sdk, constant, variable, type, sentence) => {
    if (sdk) return '#libs/adapter-sdk';
    if (constant) return upper(name);
    if (variable) return camel(name);
    if (type) return pascal(name);
    return sentence ? title(name) : name;
  });
}
