import type { BuiltFile } from './built-files.js';

interface PageFiles {
  /** As the console's router has it: `/p/$projectId/events`. */
  path: string;
  scripts: string[];
  styles: string[];
}

/** Where a build says what the first look at each page needs; not asked for by browsers. */
export const pageFilesPath = '/page-files.json';

/**
 * Which files of its own a page begins with, as `Link` says it (RFC 8288): the browser asks for them with the page, and not
 * once its script has found which page it is. Scripts give way to styles, which show something before them.
 * @param file of `pageFilesPath`; undefined for a build without one
 * @returns for the path of an address; null where there is nothing to name
 */
export function pageLinks(file: BuiltFile | undefined): (path: string) => string | null {
  const pages = file ? (JSON.parse(String(file.bodies.identity)) as PageFiles[]) : [];
  const links = pages.map(({ path, scripts, styles }) => ({
    pattern: new RegExp(`^${path.replace(/\$\w+/g, '[^/]+')}/?$`),
    link: [
      ...scripts.map((script) => `<${script}>; rel=modulepreload; fetchpriority=low; crossorigin`),
      ...styles.map((style) => `<${style}>; rel=preload; as=style; crossorigin`),
    ].join(', '),
  }));
  return (path) => links.find(({ pattern }) => pattern.test(path))?.link ?? null;
}
