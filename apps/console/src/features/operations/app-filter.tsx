import type { ReactNode } from 'react';
import { useApps } from '../../api/apps.js';
import { operationsTexts } from '../../texts/operations.js';
import { FilterSelect } from '../../ui/filter-bar.js';

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
