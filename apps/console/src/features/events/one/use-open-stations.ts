import { useNavigate, useSearch } from '@tanstack/react-router';
import { toneOf } from '../../../ui/status-badge.js';
import type { Station } from './stations.js';

interface OpenStations {
  isOpen: (station: Station) => boolean;
  toggle: (station: Station) => void;
  setAll: (open: boolean) => void;
  /** Whether all are open. */
  all: boolean;
}

/** Open at first is what says why: the router's checks, what agents did, and whatever went wrong. */
const openAtFirst = ({ stage, last }: Station): boolean =>
  stage === 'routed' || stage === 'turn' || stage === 'delivery' || toneOf(last.outcome) === 'bad';

/** The URL has the stations whose state differs from the initial one. */
export function useOpenStations(stations: readonly Station[]): OpenStations {
  const { toggled = '' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const keys = new Set(toggled.split('.').filter(Boolean));
  const isOpen = (station: Station): boolean => openAtFirst(station) !== keys.has(station.key);
  const write = (next: Set<string>): void =>
    void navigate({
      to: '.',
      search: (before) => ({ ...before, toggled: [...next].join('.') || undefined }),
      replace: true,
      resetScroll: false,
    });
  return {
    isOpen,
    toggle: ({ key }) =>
      write(keys.has(key) ? new Set([...keys].filter((one) => one !== key)) : new Set([...keys, key])),
    setAll: (open) => write(new Set(stations.filter((one) => openAtFirst(one) !== open).map(({ key }) => key))),
    all: stations.every(isOpen),
  };
}
