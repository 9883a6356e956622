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
import { contains, type PaletteEntry } from '../app/palette.js';
import { palettes } from '../app/palettes.js';
import { shellTexts } from '../texts/shell.js';
import { type OpenAction, openActions } from './open-actions.js';

const [store, spotlight] = createSpotlight();
const typingMs = 200;

export default function PaletteWindow({ onClose }: { onClose: () => void }): ReactNode {
  const [query, setQuery] = useState('');
  const [asked] = useDebouncedValue(query.trim(), typingMs);
  // As the page was when ⌘K opened: what is drawn over it hides nothing of it.
  const [open] = useState(openActions);
  const { groups, searching } = usePaletteGroups(query.trim(), asked, open);
  const projectId = useProjectId();
  const navigate = useNavigate();
  useEffect(() => spotlight.open(), []);
  const go = (entry: PaletteEntry | OpenAction): void => {
    // Once ⌘K has closed and given the focus back.
    if ('press' in entry) setTimeout(entry.press);
    else void navigate({ href: `/p/${projectId}${entry.path}` });
  };
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
  entries: (PaletteEntry | OpenAction)[];
}

const minQuery = 2;

/** Pages and actions match by name at once; the features search for what was typed. */
function usePaletteGroups(
  query: string,
  asked: string,
  open: OpenAction[],
): { groups: PaletteGroup[]; searching: boolean } {
  const { scopes } = useSession();
  const projectId = useProjectId();
  const may = (scope: string | undefined): boolean => scope === undefined || hasScope(scopes, scope);
  const pages: PaletteEntry[] = [
    ...navigation
      .filter(({ scope }) => may(scope))
      .map(({ path, label, icon }) => ({ id: path || 'home', label, icon, path })),
    ...(query === '' ? [] : palettes.flatMap((palette) => palette.pages ?? [])),
  ];
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
  const named = <Entry extends PaletteEntry>(entries: Entry[]): Entry[] =>
    entries.filter(({ label, description = '' }) => contains(query, `${label} ${description}`));
  const groups = [
    { label: shellTexts.here, entries: named(open) },
    { label: shellTexts.goTo, entries: named(pages) },
    { label: shellTexts.actions, entries: named(actions) },
    ...searching.map(({ label }, index) => ({ label, entries: found[index]?.data ?? [] })),
  ].filter(({ entries }) => entries.length > 0);
  return { groups, searching: query !== asked || found.some(({ isFetching }) => isFetching) };
}
