import { History } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { usePrincipalName } from '../../api/principals.js';
import { useCursorList } from '../../api/project-query.js';
import { credentialTexts } from '../../texts/credentials.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/notices.js';
import { When } from '../../ui/when.js';

const texts = credentialTexts.history;
const pageSize = 50;
const pollMs = 15_000;

const columnsWith = (nameOf: (subject: string) => string): Column<Schema<'AuditEntryView'>>[] => [
  {
    id: 'action',
    label: texts.columns.action,
    width: 'minmax(0, 1fr)',
    cell: ({ action, times }) => `${texts.actions[action]}${times > 1 ? `, ${texts.times(times)}` : ''}`,
  },
  { id: 'actor', label: texts.columns.actor, width: 'minmax(0, 2fr)', cell: ({ actor }) => nameOf(actor) },
  {
    id: 'fields',
    label: texts.columns.fields,
    width: 'minmax(0, 2fr)',
    cell: ({ fields }) => fields.join(', '),
    hideOnPhone: true,
  },
  {
    id: 'reason',
    label: texts.columns.reason,
    width: 'minmax(0, 2fr)',
    cell: ({ reason, consumer }) => reason ?? consumer ?? '',
    hideOnPhone: true,
  },
  { id: 'at', label: texts.columns.at, width: '110px', cell: ({ at }) => <When at={at} relative /> },
];

/** Who did what with it, newest first. */
export function CredentialHistory({ id }: { id: string }): ReactNode {
  const nameOf = usePrincipalName();
  const list = useCursorList(
    ['credentials', id, 'audit'],
    (cursor, signal) =>
      answer(
        api.GET('/api/v1/credentials/{id}/audit', {
          params: { path: { id }, query: { limit: pageSize, cursor } },
          signal,
        }),
      ),
    { refetchInterval: pollMs },
  );
  return (
    <DataTable
      label={credentialTexts.one.tabs.history}
      columns={columnsWith(nameOf)}
      list={list}
      rowKey={(entry) => entry.id}
      empty={<EmptyState icon={History} {...texts.empty} />}
    />
  );
}
