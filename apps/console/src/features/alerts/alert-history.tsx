import { History } from 'lucide-react';
import type { ReactNode } from 'react';
import { useAlertRules } from '../../api/alert-rules.js';
import { answer, api, type Schema } from '../../api/client.js';
import { useCursorList } from '../../api/project-query.js';
import { alertStates } from '../../app/search-values.js';
import { own } from '../../own.js';
import { alertTexts } from '../../texts/alerts.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { FilterBar, FilterSelect } from '../../ui/filter-bar.js';
import { AppName, NameOver } from '../../ui/name-of.js';
import { EmptyState } from '../../ui/notices.js';
import { StatusBadge, type Tone } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';

type Sent = Schema<'AlertView'>;
const texts = alertTexts.history;
const everyMs = 5_000;
const pageSize = 50;
const tones: Readonly<Record<Sent['state'], Tone>> = { waiting: 'busy', sent: 'good', failed: 'bad' };
const states = alertStates.map((value) => ({ value, label: texts.states[value] }));

interface Filters {
  state?: Sent['state'];
  rule?: string;
}

/** What rules have sent, newest first. */
export function AlertHistory({ state, rule, onFilter }: Filters & { onFilter: (patch: Filters) => void }): ReactNode {
  const { data: rules = [] } = useAlertRules();
  const filtered = state !== undefined || rule !== undefined;
  return (
    <>
      <FilterBar filtered={filtered} onClear={() => onFilter({ state: undefined, rule: undefined })}>
        <FilterSelect
          label={texts.state}
          any={texts.anyState}
          value={state}
          options={states}
          onChange={(next) => onFilter({ state: next })}
        />
        <FilterSelect
          label={texts.rule}
          any={texts.anyRule}
          value={rule}
          options={rules.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(next) => onFilter({ rule: next })}
        />
      </FilterBar>
      <SentAlerts state={state} rule={rule} empty={filtered ? texts.none : texts.empty} />
    </>
  );
}

/** @param empty what is said where there is none */
export function SentAlerts({ state, rule, empty }: Filters & { empty: { title: string; text: string } }): ReactNode {
  const list = useCursorList(
    ['alerts', state, rule],
    (cursor, signal) => {
      const query = { state, rule_id: rule, cursor, limit: pageSize };
      return answer(api.GET('/api/v1/alerts', { params: { query }, signal }));
    },
    { refetchInterval: everyMs },
  );
  return (
    <DataTable
      label={texts.title}
      columns={columns}
      list={list}
      rowKey={({ id }) => id}
      empty={<EmptyState icon={History} {...empty} />}
    />
  );
}

const columns: Column<Sent>[] = [
  {
    id: 'text',
    label: texts.columns.text,
    width: 'minmax(0, 3fr)',
    cell: ({ text, kind, rule_name }) => <NameOver name={text} under={`${texts.kinds[kind]} · ${rule_name}`} />,
  },
  {
    id: 'to',
    label: texts.columns.to,
    width: 'minmax(0, 2fr)',
    cell: ({ app_id: id, address }) => <NameOver name={<AppName id={id} />} under={address} />,
    hideOnPhone: true,
  },
  {
    id: 'state',
    label: texts.columns.state,
    width: '84px',
    cell: ({ state }) => <StatusBadge status={state} tone={tones[state]} label={texts.states[state]} />,
  },
  {
    id: 'why',
    label: texts.columns.why,
    width: 'minmax(0, 2fr)',
    cell: ({ state, reason, error_detail: detail }) =>
      state !== 'sent' && reason !== null && (detail ?? own(texts.reasons, reason) ?? <code>{reason}</code>),
    hideOnPhone: true,
  },
  { id: 'at', label: texts.columns.at, width: '90px', cell: ({ created_at }) => <When at={created_at} relative /> },
];
