import { readFileSync } from 'node:fs';

/** `acme-chat` */
const kebab = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** @param {string | undefined} name */
export const isKebab = (name) => kebab.test(name ?? '');

/** @param {string} name @returns `AcmeChat` */
export const pascal = (name) => name.split('-').map(capital).join('');

/** @param {string} name @returns `acmeChat` */
export const camel = (name) => pascal(name).replace(/^./, (letter) => letter.toLowerCase());

/** @param {string} name @returns `Acme Chat` */
export const title = (name) => name.split('-').map(capital).join(' ');

/** @param {string} name @returns `ACME_CHAT` */
export const upper = (name) => name.toUpperCase().replaceAll('-', '_');

/** @param {string} word */
function capital(word) {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/**
 * The text of a file in templates/, with its `{{names}}` filled in.
 * @param {string} name
 * @param {Record<string, string>} values
 */
export function filled(name, values) {
  const text = readFileSync(new URL(`templates/${name}.txt`, import.meta.url), 'utf8');
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_all, key) => {
    const value = values[key];
    if (value === undefined) throw new Error(`templates/${name}.txt asks for ${key}, which nobody gives`);
    return value;
  });
}
