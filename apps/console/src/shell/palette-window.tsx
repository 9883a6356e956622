import '@mantine/spotlight/styles.layer.css';
import { Spotlight } from '@mantine/spotlight';
import { createSpotlight } from '@mantine/spotlight';
import { useDebouncedValue } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { useProjectId } from '../api/project-query.js';
import type { PaletteEntry } from '../app/feature.js';
import { shellTexts } from '../texts/shell.js';
import { usePaletteGroups } from './palette-groups.js';

const [store, spotlight] = createSpotlight();
const typingMs = 200;

export default function PaletteWindow({ onClose }: { onClose: () => void }): ReactNode {
  const [query, setQuery] = useState('');
  const [asked] = useDebouncedValue(query.trim(), typingMs);
  const groups = usePaletteGroups(query.trim(), asked);
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
        {groups.length === 0 && <Spotlight.Empty>{shellTexts.nothingFound}</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}
