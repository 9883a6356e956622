import { useQueries } from '@tanstack/react-query';
import { projectKey, useProjectId } from '../api/project-query.js';
import { hasScope, useSession } from '../api/session.js';
import type { PaletteEntry } from '../app/feature.js';
import { features } from '../app/features.js';
import { palettes } from '../app/palettes.js';
import { shellTexts } from '../texts/shell.js';

interface PaletteGroup {
  label: string;
  entries: PaletteEntry[];
}

const minQuery = 2;

/** Pages and actions by name at once, and what the features find for what was typed. */
export function usePaletteGroups(query: string, asked: string): PaletteGroup[] {
  const { scopes } = useSession();
  const projectId = useProjectId();
  const may = (scope: string | undefined): boolean => scope === undefined || hasScope(scopes, scope);
  const pages = features
    .flatMap(({ navigation }) => navigation)
    .filter(({ scope }) => may(scope))
    .map(({ path, label, icon }) => ({ id: path || 'home', label, icon, path }));
  const actions = palettes.flatMap((palette) => palette.actions ?? []);
  const searching = palettes.flatMap(({ search, label, scope }) =>
    search && label && may(scope) ? [{ search, label }] : [],
  );
  const found = useQueries({
    queries: searching.map(({ search, label }) => ({
      queryKey: projectKey(projectId, ['palette', label, asked]),
      queryFn: ({ signal }: { signal: AbortSignal }) => search(asked, signal),
      enabled: asked.length >= minQuery,
    })),
  });
  const named = (entries: PaletteEntry[]): PaletteEntry[] =>
    entries.filter(({ label }) => label.toLowerCase().includes(query.toLowerCase()));
  return [
    { label: shellTexts.goTo, entries: named(pages) },
    { label: shellTexts.actions, entries: named(actions) },
    ...searching.map(({ label }, index) => ({ label, entries: found[index]?.data ?? [] })),
  ].filter(({ entries }) => entries.length > 0);
}
