import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useApps } from '../../api/choices.js';
import { operationsTexts } from '../../texts/operations.js';
import { FilterSelect } from '../../ui/filter-bar.js';
import type { OperationsSearch } from './routes.js';

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

const texts = operationsTexts.filters;

interface AppFilterProps {
  value: string | undefined;
  onChange: (app: string | undefined) => void;
}

export function AppFilter({ value, onChange }: AppFilterProps): ReactNode {
  const { data: apps = [] } = useApps();
  const options = apps.map(({ id, name }) => ({ value: id, label: name }));
  return <FilterSelect label={texts.app} any={texts.anyApp} value={value} options={options} onChange={onChange} />;
}
