// Settings: each name with its default, range and meaning, from every service's env.ts.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../launcher/project.mjs';
import { services } from '../launcher/services.mjs';
import { elsewhere, notes } from './setting-notes.mjs';
import { commentOf, below, constantOf, head, row, sourceOf, ts, valueOf } from './sources.mjs';

/** @typedef {{name: string, fallback: string, range: string, is: string}} Setting */

/** Processes that have settings: title, and the file that reads them. */
const readers = new Map([
  ...[...services.map(({ name }) => name), 'host'].map(
    (name) => /** @type {const} */ ([name, `apps/${name}/src/env.ts`]),
  ),
  ['mcp-sidecar', 'apps/mcp-registry/src/sidecar/env.ts'],
  ['bootstrap', 'apps/portal/src/bootstrap/env.ts'],
]);

/** Readers without a default, and what they return when nothing is set. */
const withoutDefault = new Map([
  ['list', 'none'],
  ['optionalText', 'none'],
  ['optionalUrl', 'none'],
]);

/** The settings that every service with a database reads, by name. @type {Map<string, Setting>} */
const shared = new Map();

/** Notes that a service used. */
const used = new Set();

/** @returns {string} the page */
export function settingsPage() {
  for (const setting of settingsOf(valueOf('serviceSettings', 'libs/service-kit/src/env.ts'), 'every service')) {
    shared.set(setting.name, setting);
  }
  const parts = [...readers].map(([service, path]) => {
    if (!existsSync(join(root, path))) throw new Error(`${path} is not there`);
    const all = service === 'adapters' ? adaptersSettings(path) : settingsOf(specOf(path), service);
    const same = all.filter((setting) => isSame(setting, shared.get(setting.name)));
    const own = all.filter((setting) => !isSame(setting, shared.get(setting.name)));
    const isWhole = [...shared.keys()].every((name) => all.some((setting) => setting.name === name));
    return [
      `## ${service}`,
      '',
      `Read by [env.ts](../../${path}). ${sharedSentence(same, isWhole)}`,
      '',
      table(own),
    ].join('\n');
  });
  const others = elsewhere.map(({ title, where, settings }) =>
    [
      `## ${title}`,
      '',
      where,
      '',
      head('Setting', 'Default', 'Is'),
      ...Object.entries(settings).map(([name, [fallback, is]]) => row(`\`${name}\``, fallback, is)),
    ].join('\n'),
  );
  const stale = Object.keys(notes).filter((name) => !used.has(name));
  if (stale.length > 0)
    throw new Error(`scripts/reference/setting-notes.mjs tells of what no service reads: ${stale.join(', ')}`);
  return [
    '# Settings',
    '',
    'Environment variables, read once at start. A service with a wrong one does not start, and names each wrong one.',
    'Each may stand in a file: `DATABASE_URL_FILE=/run/secrets/database-url` in place of `DATABASE_URL`.',
    'Of `adapters` that holds for secrets and lists. What sizes and limits mean together: [operations](../operations.md).',
    '',
    '`needed`: the service does not start without it. `none`: nothing is set. `npm start` sets what is needed.',
    '',
    '## Every service with a database',
    '',
    'Read by [env.ts of the service kit](../../libs/service-kit/src/env.ts).',
    '',
    table([...shared.values()]),
    '',
    ...parts.flatMap((part) => [part, '']),
    ...others.flatMap((part) => [part, '']),
  ].join('\n');
}

/** @param {Setting} setting @param {Setting} [shared] */
const isSame = (setting, shared) =>
  shared !== undefined && setting.fallback === shared.fallback && setting.range === shared.range;

/** @param {Setting[]} same @param {boolean} isWhole */
function sharedSentence(same, isWhole) {
  if (same.length === 0) return '';
  if (isWhole) return 'It also reads the settings of every service.';
  const list = same.map(({ name }) => `\`${name}\``).join(', ');
  return `As of every service: ${list}.`;
}

/** @param {Setting[]} settings */
const table = (settings) =>
  [
    head('Setting', 'Default', 'Range', 'Is'),
    ...settings.map(({ name, fallback, range, is }) => row(`\`${name}\``, fallback, range, is)),
  ].join('\n');

/** What a service passes to `readEnv`. @param {string} path */
function specOf(path) {
  for (const node of below(sourceOf(path))) {
    if (!ts.isCallExpression(node) || node.expression.getText() !== 'readEnv') continue;
    const [spec] = node.arguments;
    return spec && ts.isIdentifier(spec) ? valueOf(spec.text, path) : { node: spec, path };
  }
  throw new Error(`${path} calls no readEnv`);
}

/** @param {{node: import('typescript-5').Expression, path: string}} spec @param {string} service @returns {Setting[]} */
function settingsOf({ node, path }, service) {
  if (!ts.isObjectLiteralExpression(node)) throw new Error(`${path}: settings are no object`);
  /** @type {Map<string, Setting>} */
  const found = new Map();
  for (const property of node.properties) {
    if (ts.isSpreadAssignment(property)) {
      for (const each of settingsOf(valueOf(property.expression.getText(), path), service)) found.set(each.name, each);
      continue;
    }
    const name = property.name?.getText() ?? '';
    const reader = ts.isPropertyAssignment(property) ? property.initializer : property;
    const common = ts.isShorthandPropertyAssignment(property) && shared.get(name);
    if (common) {
      found.set(name, common);
      continue;
    }
    found.set(name, { name, ...readerOf(name, reader, path), is: meaningOf(name, service, commentOf(property)) });
  }
  return [...found.values()];
}

/** @param {string} name @param {import('typescript-5').Node} node @param {string} path */
function readerOf(name, node, path) {
  const own = notes[name]?.default;
  if (ts.isIdentifier(node) && withoutDefault.has(node.text))
    return { fallback: own ?? withoutDefault.get(node.text) ?? '', range: '' };
  if (ts.isCallExpression(node)) {
    const reader = node.expression.getText();
    if (reader === 'integer') {
      const [fallback, min, max] = node.arguments.map((argument) => Number(constantOf(argument, path)));
      return { fallback: own ?? inWords(name, fallback ?? Number.NaN), range: `${min}–${max}` };
    }
    if (reader === 'oneOf') {
      const words = node.arguments.map((argument) => `\`${constantOf(argument, path)}\``);
      return { fallback: own ?? words[0] ?? '', range: words.join(', ') };
    }
    if (reader === 'text' || reader === 'url') {
      const [given] = node.arguments;
      return { fallback: own ?? (given ? `\`${constantOf(given, path)}\`` : 'needed'), range: '' };
    }
    if (reader === 'json') return { fallback: own ?? 'needed', range: 'JSON' };
    if (reader === 'optionalJson') return { fallback: own ?? 'none', range: 'JSON' };
  }
  if (own === undefined) throw new Error(`${path}: say the default of ${name} in scripts/reference/setting-notes.mjs`);
  return { fallback: own, range: '' };
}

/**
 * The comment above the setting, plus its note.
 * @param {string} name @param {string} service @param {string} comment
 */
function meaningOf(name, service, comment) {
  const { is } = notes[name] ?? {};
  if (notes[name]) used.add(name);
  const note = typeof is === 'object' ? (is[service] ?? is['*']) : is;
  const meaning = [comment, note].filter((part) => part).join(' ');
  if (!meaning) throw new Error(`${service}: say what ${name} is, above it or in scripts/reference/setting-notes.mjs`);
  return meaning;
}

/** The adapters' process does not use Nest and has readers of its own. @param {string} path @returns {Setting[]} */
function adaptersSettings(path) {
  const comments = new Map();
  /** @type {Setting[]} */
  const found = [];
  for (const node of below(sourceOf(path))) {
    if (ts.isPropertySignature(node)) comments.set(node.name.getText(), commentOf(node));
    if (!ts.isPropertyAssignment(node)) continue;
    const call = [node.initializer, ...below(node.initializer)].find(
      (each) => ts.isCallExpression(each) && each.arguments[0] && ts.isStringLiteral(each.arguments[0]),
    );
    const plain = /^source\.([A-Z_]+) \|\| '(.*)'$/.exec(node.initializer.getText());
    const name = plain?.[1] ?? (call && ts.isCallExpression(call) ? String(constantOf(call.arguments[0], path)) : '');
    if (!/^[A-Z][A-Z_]+$/.test(name)) continue;
    const given =
      call && ts.isCallExpression(call) ? call.arguments.slice(1).map((each) => constantOf(each, path)) : [];
    const [fallback, min, max] = given;
    const isNumber = typeof fallback === 'number';
    found.push({
      name,
      fallback: plain ? `\`${plain[2]}\`` : isNumber ? inWords(name, fallback) : fallback ? `\`${fallback}\`` : 'none',
      range: isNumber ? `${min}–${max}` : '',
      is: meaningOf(name, 'adapters', comments.get(node.name.getText()) ?? ''),
    });
  }
  return found;
}

/** Units by the suffix of a setting's name, largest first. @type {Record<string, [number, string][]>} */
const units = {
  MS: [
    [86_400_000, 'd'],
    [3_600_000, 'h'],
    [60_000, 'min'],
    [1_000, 's'],
  ],
  SECONDS: [
    [86_400, 'd'],
    [3_600, 'h'],
    [60, 'min'],
  ],
  BYTES: [
    [1_048_576, 'MiB'],
    [1_024, 'KiB'],
  ],
};

/** 3600000 of `..._MS` as `3600000 (1 h)`. @param {string} name @param {number} value */
function inWords(name, value) {
  const [size, unit] = units[name.split('_').at(-1) ?? '']?.find(([each]) => value >= each && value % each === 0) ?? [];
  return size ? `${value} (${value / size} ${unit})` : String(value);
}
