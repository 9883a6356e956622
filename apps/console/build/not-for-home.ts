/** Where a first visit begins: what these import is what it shows. The rest of the first visit is in the entry. */
const begins = ['features/home/home-page.tsx', 'features/home/since-last-look.tsx', 'shell/navigation.tsx'];
const source = `${import.meta.dirname.replace(/build$/, 'src')}/`;
/** Packages are imported through one file each, so what Home needs of them is not seen by its imports. */
const packageParts = /node_modules\/@mantine\/core\/.*\/(SegmentedControl|FloatingIndicator|Grid|Tabs|InlineInput)\//;

interface Modules {
  getModuleInfo(id: string): { importedIds: string[] } | null;
}

/**
 * Names the file of what several pages share and Home does not need: it would be most of what a first visit loads beyond
 * the entry.
 * @returns for the name of a group; null: the module is not of it
 */
export function notForHome(name: string): (id: string, modules: Modules) => string | null {
  let needed: Set<string> | null = null;
  return (id, modules) => {
    needed ??= neededBy(begins, modules);
    const own = id.startsWith(source);
    return (own ? !needed.has(fileOf(id)) : packageParts.test(id)) ? name : null;
  };
}

const fileOf = (id: string): string => id.split('?')[0] ?? id;

function neededBy(files: string[], modules: Modules): Set<string> {
  const found = new Set(files.map((file) => `${source}${file}`));
  for (const id of found) {
    const info = modules.getModuleInfo(id);
    if (!info && files.some((file) => id.endsWith(file))) throw new Error(`${id} is not in the build.`);
    for (const next of info?.importedIds ?? []) if (next.startsWith(source)) found.add(fileOf(next));
  }
  return found;
}
