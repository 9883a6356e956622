import { gzipSync } from 'node:zlib';
import type { Plugin, Rolldown } from 'vite';

/** What a first visit may load before anything shows, gzipped. */
const initialScriptBudget = 250 * 1024;

/** Prints what a first visit loads, and fails the build when that is too much. */
export function bundleBudget(): Plugin {
  return {
    name: 'bundle-budget',
    apply: 'build',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const initial = initialChunks(chunks);
      const size = initial.reduce((sum, { code }) => sum + gzipSync(code).length, 0);
      const rest = chunks.filter((chunk) => !initial.includes(chunk));
      const lazy = rest.reduce((sum, { code }) => sum + gzipSync(code).length, 0);
      process.stdout.write(
        `console  first visit ${kb(size)} of JavaScript in ${initial.length} files (budget ${kb(initialScriptBudget)}), ` +
          `${kb(lazy)} more in ${rest.length} when needed, gzipped\n`,
      );
      if (size > initialScriptBudget)
        this.error(`The first visit loads ${kb(size)} of JavaScript: load something of it when it is needed.`);
    },
  };
}

/** The entry and everything it imports at once. */
function initialChunks(chunks: Rolldown.OutputChunk[]): Rolldown.OutputChunk[] {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const found = new Set(chunks.filter(({ isEntry }) => isEntry));
  for (const { imports } of found) {
    for (const chunk of imports.map((name) => byName.get(name))) if (chunk) found.add(chunk);
  }
  return [...found];
}

const kb = (bytes: number): string => `${(bytes / 1024).toFixed(0)} KB`;
