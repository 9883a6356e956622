import { gzipSync } from 'node:zlib';
import type { Plugin, Rolldown } from 'vite';
import { withImports } from './with-imports.ts';

/** Most gzipped JavaScript that a first visit may load until Home shows. */
const firstScreenBudget = 200 * 1024;

/** Prints what a first visit loads, and fails the build when it is too much. */
export function bundleBudget(): Plugin {
  return {
    name: 'bundle-budget',
    apply: 'build',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const first = chunks.filter(({ isEntry, name }) => isEntry || name === 'pages' || name === 'home-page');
      if (first.length !== 3)
        this.error('Home begins with an entry, what pages share and its own page: one is not there.');
      const initial = withImports(first, bundle);
      const rest = chunks.filter((chunk) => !initial.has(chunk));
      const size = gzipped([...initial]);
      process.stdout.write(
        `console  first visit ${kb(size)} of JavaScript in ${initial.size} files (budget ${kb(firstScreenBudget)}), ` +
          `${kb(gzipped(rest))} more in ${rest.length} when needed, gzipped\n`,
      );
      if (size > firstScreenBudget)
        this.error(`The first visit loads ${kb(size)} of JavaScript: load something of it when it is needed.`);
    },
  };
}

const gzipped = (chunks: Rolldown.OutputChunk[]): number =>
  chunks.reduce((sum, { code }) => sum + gzipSync(code).length, 0);

const kb = (bytes: number): string => `${(bytes / 1024).toFixed(0)} KB`;
