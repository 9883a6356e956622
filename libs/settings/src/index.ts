import { readFileSync } from 'node:fs';

export { WrongSettings } from './wrong-settings.js';

/**
 * A setting of the environment: the value of NAME, or the contents of the file named by NAME_FILE, without a trailing
 * line break. So a secret need not be in the environment, which every process of the container can read.
 * @throws Error when both are set, or the file cannot be read
 */
export function settingOf(name: string, source: Readonly<Record<string, string | undefined>>): string | undefined {
  const file = source[`${name}_FILE`];
  if (!file) return source[name];
  if (source[name]) throw new Error(`${name} and ${name}_FILE are both set: give one of them`);
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`${name}_FILE names ${file}, which cannot be read (${code})`, { cause: error });
  }
}
