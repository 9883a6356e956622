import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../launcher/project.mjs';

/** New or changed files, by path from the root. Nothing is written until all of them are complete. */
export class Draft {
  /** @type {Map<string, {text: string, isNew: boolean}>} */
  #files = new Map();

  /** @param {string} path a file or a folder */
  exists(path) {
    return this.#files.has(path) || existsSync(join(root, path));
  }

  /** @param {string} path */
  read(path) {
    return this.#files.get(path)?.text ?? readFileSync(join(root, path), 'utf8');
  }

  /** @param {string} path @param {string} text @throws where a file exists */
  add(path, text) {
    if (this.exists(path)) throw new Error(`${path} is there already: choose another name, or delete it first.`);
    this.#files.set(path, { text, isNew: true });
  }

  /**
   * @param {string} path
   * @param {RegExp} place the text to replace
   * @param {(...found: string[]) => string} by
   * @throws where the file has no such text, or several
   */
  change(path, place, by) {
    const text = this.read(path);
    const places = [...text.matchAll(new RegExp(place, place.flags.replace('g', '') + 'g'))];
    if (places.length !== 1) {
      throw new Error(
        `${path} has ${places.length} places like ${place} where one was expected: say so in scripts/new.`,
      );
    }
    this.#files.set(path, { text: text.replace(place, by), isNew: this.#files.get(path)?.isNew ?? false });
  }

  /** Adds an import after the last one. @param {string} path @param {string} line */
  addImport(path, line) {
    this.change(path, /^(?:import [^;]*;\n)+/m, (imports) => `${imports}${line}\n`);
  }

  /** Formats everything by the project's rules and writes it. */
  async write() {
    const { format, resolveConfig } = await import('prettier');
    const files = await Promise.all(
      [...this.#files].map(async ([path, { text, isNew }]) => {
        const filepath = join(root, path);
        const config = await resolveConfig(filepath, { editorconfig: true });
        return { path, filepath, isNew, text: await format(text, { ...config, filepath }) };
      }),
    );
    for (const { filepath, text } of files) {
      mkdirSync(dirname(filepath), { recursive: true });
      writeFileSync(filepath, text);
    }
    return files;
  }
}
