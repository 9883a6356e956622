import '@mantine/spotlight/styles.layer.css';
import { Spotlight } from '@mantine/spotlight';
import { createSpotlight } from '@mantine/spotlight';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQueries } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { projectKey, useProjectId } from '../api/project-query.js';
import { hasScope, useSession } from '../api/session.js';
import { navigation } from '../app/navigation.js';
import type { PaletteEntry } from '../app/palette.js';
import { palettes } from '../app/palettes.js';
import { shellTexts } from '../texts/shell.js';

const [store, spotlight] = createSpotlight();
const typingMs = 200;

export default function PaletteWindow({ onClose }: { onClose: () => void }): ReactNode {
  const [query, setQuery] = useState('');
  const [asked] = useDebouncedValue(query.trim(), typingMs);
  const { groups, searching } = usePaletteGroups(query.trim(), asked);
  const projectId = useProjectId();
  const navigate = useNavigate();
  useEffect(() => spotlight.open(), []);
  const go = ({ path }: PaletteEntry): void => void navigate({ href: `/p/${projectId}${path}` });
  return (
    <Spotlight.Root
      store={store}
      query={query}
      onQueryChange={setQuery}
      onSpotlightClose={onClose}
      shortcut={null}
      scrollable
      maxHeight={420}
    >
      <Spotlight.Search placeholder={shellTexts.search} aria-label={shellTexts.search} />
      <Spotlight.ActionsList>
        {groups.map(({ label, entries }) => (
          <Spotlight.ActionsGroup key={label} label={label}>
            {entries.map((entry) => {
              const Icon = entry.icon;
              return (
                <Spotlight.Action
                  key={entry.id}
                  label={entry.label}
                  description={entry.description}
                  leftSection={Icon && <Icon size={16} aria-hidden />}
                  onClick={() => go(entry)}
                />
              );
            })}
          </Spotlight.ActionsGroup>
        ))}
        {groups.length === 0 && !searching && <Spotlight.Empty>{shellTexts.nothingFound}</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

interface PaletteGroup {
  label: string;
  entries: PaletteEntry[];
}

const minQuery = 2;

/** Pages and actions match by name at once; the features search for what was typed. */
function usePaletteGroups(query: string, asked: string): { groups: PaletteGroup[]; searching: boolean } {
  const { scopes } = useSession();
  const projectId = useProjectId();
  const may = (scope: string | undefined): boolean => scope === undefined || hasScope(scopes, scope);
  const pages = navigation
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
      placeholderData: keepPreviousData,
    })),
  });
  const named = (entries: PaletteEntry[]): PaletteEntry[] =>
    entries.filter(({ label }) => label.toLowerCase().includes(query.toLowerCase()));
  const groups = [
    { label: shellTexts.goTo, entries: named(pages) },
    { label: shellTexts.actions, entries: named(actions) },
    ...searching.map(({ label }, index) => ({ label, entries: found[index]?.data ?? [] })),
  ].filter(({ entries }) => entries.length > 0);
  return { groups, searching: query !== asked || found.some(({ isFetching }) => isFetching) };
}
