import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { BellRing, Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { type AlertRule, useAlertRules } from '../../api/alert-rules.js';
import { useAppName } from '../../api/choices.js';
import { useProjectId } from '../../api/project-query.js';
import { alertTexts, codeWord } from '../../texts/alerts.js';
import { ActionButton } from '../../ui/action-button.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { useReason } from '../../ui/editable.js';
import { EmptyState } from '../../ui/notices.js';
import { Page } from '../../ui/page.js';
import { UrlTabs } from '../../ui/url-tabs.js';
import { AlertHistory } from './alert-history.js';
import { DesktopNotices } from './desktop-notices.js';
import { RuleState } from './rule-state.js';

const route = getRouteApi('/p/$projectId/alerts');
const texts = alertTexts.tabs;

export function AlertsPage(): ReactNode {
  const { tab = 'rules', state, rule } = route.useSearch();
  const navigate = useNavigate({ from: '/p/$projectId/alerts' });
  return (
    <Page title={alertTexts.title} description={alertTexts.description} actions={<NewRuleButton />}>
      <UrlTabs
        label={texts.label}
        value={tab}
        tabs={[
          { value: 'rules', label: texts.rules, content: <Rules /> },
          {
            value: 'history',
            label: texts.history,
            content: (
              <AlertHistory
                state={state}
                rule={rule}
                onFilter={(patch) => void navigate({ search: (before) => ({ ...before, ...patch }), replace: true })}
              />
            ),
          },
          { value: 'desktop', label: texts.desktop, content: <DesktopNotices /> },
        ]}
        onChange={(next) => void navigate({ search: next === 'rules' ? {} : { tab: next } })}
      />
    </Page>
  );
}

function NewRuleButton(): ReactNode {
  const projectId = useProjectId();
  const navigate = useNavigate();
  return (
    <ActionButton
      leftSection={<Plus size={15} aria-hidden />}
      reason={useReason('alerts:write')}
      onClick={() => void navigate({ to: '/p/$projectId/alerts/new', params: { projectId } })}
    >
      {alertTexts.create}
    </ActionButton>
  );
}

function Rules(): ReactNode {
  const projectId = useProjectId();
  const nameOf = useAppName();
  const list = useAlertRules();
  return (
    <DataTable
      label={alertTexts.title}
      columns={columnsWith(nameOf)}
      list={{ rows: list.data ?? [], loading: list.isPending, error: list.error, refresh: () => void list.refetch() }}
      rowKey={({ id }) => id}
      rowLink={({ id }) => ({ to: '/p/$projectId/alerts/$ruleId', params: { projectId, ruleId: id } })}
      empty={<EmptyState icon={BellRing} {...alertTexts.empty} action={<NewRuleButton />} />}
    />
  );
}

const columnsWith = (nameOf: (appId: string) => string): Column<AlertRule>[] => [
  { id: 'name', label: alertTexts.columns.name, value: ({ name }) => name, cell: ({ name }) => name },
  {
    id: 'watches',
    label: alertTexts.columns.watches,
    width: 'minmax(0, 2fr)',
    cell: watched,
    hideOnPhone: true,
  },
  {
    id: 'receivers',
    label: alertTexts.columns.receivers,
    width: 'minmax(0, 2fr)',
    cell: ({ receivers: [first, ...more] }) =>
      first && alertTexts.andMore(`${nameOf(first.app_id)}: ${first.address}`, more.length),
    hideOnPhone: true,
  },
  { id: 'state', label: alertTexts.columns.state, width: '100px', cell: (rule) => <RuleState rule={rule} /> },
];

function watched({ codes, rate }: AlertRule): string {
  if (rate) return alertTexts.rateOf(rate);
  const [first, ...more] = codes ?? [];
  return first === undefined ? alertTexts.anything : alertTexts.andMore(codeWord(first), more.length);
}
