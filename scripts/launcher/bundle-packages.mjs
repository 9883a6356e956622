// node bundle-packages.mjs FOLDER: bundles what the JSON on stdin lists into the folder.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { json } from 'node:stream/consumers';
import { rolldown } from 'rolldown';
import { root } from './project.mjs';

/**
 * Escapes wider characters. A single one makes V8 store the whole text with two bytes per character, and V8 keeps the
 * text of every module.
 * @param {string} code
 */
const inOneByte = (code) =>
  code.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const folder = process.argv[2] ?? '';
const inputs = /** @type {{name: string, specifier: string, text: string}[]} */ (await json(process.stdin));
const texts = new Map(inputs.map(({ specifier, text }) => [specifier, text]));
const bundle = await rolldown({
  cwd: root,
  platform: 'node',
  input: Object.fromEntries(inputs.map(({ name, specifier }) => [name, `gatehouse:${specifier}`])),
  // Warnings are about drivers and transports that are not installed. They are loaded on use, and are never used.
  onLog: () => undefined,
  plugins: [
    {
      name: 'entries',
      resolveId: (id) => (id.startsWith('gatehouse:') ? `\0${id}` : null),
      load: (id) => (id.startsWith('\0gatehouse:') ? (texts.get(id.slice('\0gatehouse:'.length)) ?? null) : null),
    },
  ],
});
const { output } = await bundle.generate({
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '.chunks/[name]-[hash].js',
  // Keeps the execution order of modules: reflect-metadata runs before any decorator.
  strictExecutionOrder: true,
  keepNames: true,
  comments: false,
});
await bundle.close();
for (const made of output) {
  if (made.type !== 'chunk') continue;
  const file = join(folder, made.fileName);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, inOneByte(made.code));
}
