import type { Plugin } from 'vite';

const component = /@mantine\/core\/esm\/.*\/(\w+)\.module\.mjs$/;
const styles = /@mantine\/core\/styles\/([A-Z]\w+)\.layer\.css$/;

/**
 * Half of Mantine's styles belong to components that no page uses. Fails the build when the imported and the used
 * styles differ.
 */
export function componentStyles(): Plugin {
  return {
    name: 'component-styles',
    apply: 'build',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const rendered = chunks.flatMap(({ modules }) =>
        Object.entries(modules).flatMap(([id, { renderedLength }]) => (renderedLength > 0 ? [id] : [])),
      );
      const used = namesIn(rendered, component);
      const imported = namesIn([...this.getModuleIds()], styles);
      const lacking = [...used.difference(imported)];
      const unused = [...imported.difference(used)];
      if (lacking.length + unused.length === 0) return;
      const say = (what: string, names: string[]): string => (names.length > 0 ? ` ${what}: ${names.join(', ')}.` : '');
      this.error(`src/component-styles.ts is not what the pages use.${say('Add', lacking)}${say('Remove', unused)}`);
    },
  };
}

const namesIn = (ids: string[], pattern: RegExp): Set<string> =>
  new Set(ids.flatMap((id) => pattern.exec(id.split('?')[0] ?? '')?.[1] ?? []));
