import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { OperationsSearch } from './operations-search.js';

const route = getRouteApi('/p/$projectId/operations/$section');

interface Searching {
  search: OperationsSearch;
  change: (patch: Partial<OperationsSearch>) => void;
  clear: () => void;
}

/** The URL parameters of the open section, and how to change them. */
export function useOperationsSearch(): Searching {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/p/$projectId/operations/$section' });
  return {
    search,
    change: (patch) => void navigate({ search: (before) => ({ ...before, ...patch }), replace: true }),
    clear: () => void navigate({ search: {} }),
  };
}
