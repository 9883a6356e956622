import { dirname, resolve } from 'node:path';
import type { Plugin } from 'vite';
import { withImports } from './with-imports.ts';

/** What the first visit to a page needs beyond what every page needs. */
interface PageFiles {
  /** As in the router: `/p/$projectId/events`. */
  path: string;
  scripts: string[];
  styles: string[];
}

const projectPath = '/p/$projectId';

/**
 * Writes `page-files.json`. With it the portal names a page's own files when it sends the page; found by the script,
 * they would be requested later. Addresses and pages come from the routes of the features.
 */
export function pageFiles(): Plugin {
  return {
    name: 'page-files',
    apply: 'build',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const named = withImports(
        chunks.filter(({ isEntry, name }) => isEntry || name === 'pages'),
        bundle,
      );
      const pages: PageFiles[] = [];
      for (const id of this.getModuleIds()) {
        const code = /\/features\/[^/]+\/routes\.ts$/.test(id) && this.getModuleInfo(id)?.code;
        if (!code) continue;
        for (const { path, page } of pagesOf(this.parse(code))) {
          const source = resolve(dirname(id), page).replace(/\.js$/, '.tsx');
          const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId === source);
          if (!chunk) this.error(`${id} leads to ${page}, which has no file of its own in the build.`);
          const own = [...withImports([chunk], bundle)].filter((each) => !named.has(each));
          pages.push({
            path,
            scripts: own.map(({ fileName }) => `/${fileName}`),
            styles: own.flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])].map((name) => `/${name}`)),
          });
        }
      }
      if (pages.length === 0) this.error('No page was found in the routes of features.');
      this.emitFile({ type: 'asset', fileName: 'page-files.json', source: JSON.stringify(pages.toSorted(exactFirst)) });
    },
  };
}

/** `/tools/new` is not a tool: it goes before `/tools/$toolId`. */
const exactFirst = (one: PageFiles, other: PageFiles): number => variables(one) - variables(other);
const variables = ({ path }: PageFiles): number => path.split('$').length;

/**
 * Finds `createRoute({ path: '/events', component: lazyRouteComponent(() => import('./list/events-page.js'), …) })`
 * anywhere in the tree.
 */
function pagesOf(node: unknown): { path: string; page: string }[] {
  if (typeof node !== 'object' || node === null) return [];
  if (Array.isArray(node)) return node.flatMap(pagesOf);
  const own = node as { type?: string; properties?: Property[] };
  if (own.type === 'ObjectExpression') {
    const property = (name: string) => own.properties?.find(({ key }) => key?.name === name)?.value;
    const path = property('path');
    const page = importedBy(property('component'));
    const base = property('getParentRoute')?.body?.name === 'projectRoute' ? projectPath : '';
    if (path?.type === 'Literal' && page !== null)
      return [{ path: (base + String(path.value)).replace(/\/$/, ''), page }];
  }
  return Object.values(node).flatMap(pagesOf);
}

interface Property {
  key?: { name?: string };
  value?: { type: string; value?: unknown; body?: { name?: string } };
}

function importedBy(node: unknown): string | null {
  if (typeof node !== 'object' || node === null) return null;
  const { type, source } = node as { type?: string; source?: { value?: unknown } };
  if (type === 'ImportExpression') return String(source?.value);
  for (const child of Object.values(node)) {
    const found = importedBy(child);
    if (found !== null) return found;
  }
  return null;
}
