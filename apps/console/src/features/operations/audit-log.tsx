import { Modal, Stack } from '@mantine/core';
import { ScrollText, SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { usePrincipals } from '../../api/principals.js';
import { useCursorList, useProjectId } from '../../api/project-query.js';
import { auditActions, operationsTexts } from '../../texts/operations.js';
import { CopyText } from '../../ui/copy.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { DiffView } from '../../ui/diff-view.js';
import { EmptyState } from '../../ui/notices.js';
import { Facts } from '../../ui/facts.js';
import { FilterBar, FilterSelect } from '../../ui/filter-bar.js';
import { PrincipalName } from '../../ui/name-of.js';
import { useOrder } from '../../ui/use-sort.js';
import { When } from '../../ui/when.js';
import { AuditSubject, recordedName } from './audit-subject.js';
import { useOperationsSearch } from './filters.js';

type Entry = Schema<'AuditLogEntryView'>;
type Action = Entry['action'];
const texts = operationsTexts.audit;
const pageSize = 50;
const pollMs = 15_000;
const actions = (Object.keys(auditActions) as Action[]).map((value) => ({ value, label: auditActions[value] }));

/** Who changed what, kept for good. */
export function AuditLog(): ReactNode {
  const { search, change, clear } = useOperationsSearch();
  const { actor, entry } = search;
  const action = actions.find(({ value }) => value === search.action)?.value;
  const projectId = useProjectId();
  const principals = usePrincipals();
  const order = useOrder('at');
  const list = useCursorList(
    ['audit', action, actor, order],
    (cursor, signal) => {
      const query = { action, actor, order, limit: pageSize, cursor };
      return answer(api.GET('/api/v1/audit', { params: { query }, signal }));
    },
    { refetchInterval: pollMs },
  );
  const filtered = action !== undefined || actor !== undefined;
  const shown = list.rows.find(({ id }) => id === entry);
  return (
    <>
      <FilterBar filtered={filtered} onClear={clear}>
        <FilterSelect
          label={texts.action}
          any={texts.anyAction}
          value={action}
          options={actions}
          onChange={(next) => change({ action: next })}
        />
        <FilterSelect
          label={texts.actor}
          any={texts.anyActor}
          value={actor}
          options={principals.map(({ subject, name }) => ({ value: subject, label: name }))}
          onChange={(next) => change({ actor: next })}
        />
      </FilterBar>
      <DataTable
        label={operationsTexts.sections.audit.label}
        columns={columns}
        list={list}
        rowKey={({ id }) => id}
        rowLink={({ id }) => ({
          to: '/p/$projectId/operations/$section',
          params: { projectId, section: 'audit' },
          search: { action, actor, entry: id },
        })}
        empty={
          filtered ? (
            <EmptyState icon={SearchX} {...texts.emptyFiltered} />
          ) : (
            <EmptyState icon={ScrollText} {...texts.empty} />
          )
        }
      />
      <Modal
        opened={shown !== undefined}
        onClose={() => change({ entry: undefined })}
        title={shown && auditActions[shown.action]}
        size="xl"
        centered
      >
        {shown && <Change entry={shown} />}
      </Modal>
    </>
  );
}

/** What an entry changed, as a difference. */
function Change({ entry }: { entry: Entry }): ReactNode {
  return (
    <Stack gap="md">
      <Facts
        of={[
          [texts.actor, entry.actor_name ?? <PrincipalName key="actor" subject={entry.actor} />],
          [texts.at, <When key="at" at={entry.at} />],
          [texts.name, recordedName(entry)],
          [texts.subject, <CopyText key="subject" text={entry.subject} />],
          [texts.request, entry.request_id && <CopyText key="request" text={entry.request_id} />],
        ]}
      />
      <DiffView before={entry.before ?? {}} after={entry.after ?? {}} label={texts.field} />
    </Stack>
  );
}

const columns: Column<Entry>[] = [
  { id: 'action', label: texts.action, width: 'minmax(0, 2fr)', cell: ({ action }) => auditActions[action] },
  { id: 'actor', label: texts.actor, cell: ({ actor, actor_name }) => actor_name ?? <PrincipalName subject={actor} /> },
  {
    id: 'subject',
    label: texts.subject,
    width: 'minmax(0, 2fr)',
    cell: (entry) => <AuditSubject entry={entry} />,
    hideOnPhone: true,
  },
  { id: 'at', label: texts.at, ordered: true, width: '120px', cell: ({ at }) => <When at={at} relative /> },
];
