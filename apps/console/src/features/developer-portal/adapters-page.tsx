import { Modal, Stack, TextInput } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Plus, SquareTerminal } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { answer, api } from '../../api/client.js';
import { useScope } from '../../api/session.js';
import { developerPortalTexts as texts } from '../../texts/developer-portal.js';
import { ActionButton } from '../../ui/action-button.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { DialogButtons } from '../../ui/dialog.js';
import { EmptyState, ProblemAlert } from '../../ui/notices.js';
import { Page } from '../../ui/page.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';
import { type Adapter, useAdapterMutation, useAdapters } from './use-adapter.js';

const route = getRouteApi('/p/$projectId/developer-portal');

/** The state of an adapter as people see it. A disabled one is not asked for its health. */
export const adapterStatus = ({ disabled, base_url, state }: Adapter): string | null =>
  disabled ? 'disabled' : base_url === null ? null : state;

const columns: Column<Adapter>[] = [
  {
    id: 'name',
    label: texts.columns.name,
    value: ({ name }) => name,
    width: 'minmax(0, 2fr)',
    cell: ({ name }) => name,
  },
  {
    id: 'slug',
    label: texts.columns.slug,
    value: ({ slug }) => slug,
    cell: ({ slug }) => <code>{slug}</code>,
    hideOnPhone: true,
  },
  {
    id: 'state',
    label: texts.columns.state,
    width: '170px',
    cell: (adapter) => {
      const status = adapterStatus(adapter);
      return status ? <StatusBadge status={status} /> : texts.skillOnly;
    },
  },
  {
    id: 'version',
    label: texts.columns.version,
    value: ({ version }) => version,
    cell: ({ version }) => version ?? '–',
    hideOnPhone: true,
  },
  {
    id: 'latency',
    label: texts.columns.latency,
    width: '100px',
    cell: ({ latency_ms }) => (latency_ms === null ? '–' : texts.latency(latency_ms)),
    hideOnPhone: true,
  },
  {
    id: 'checked',
    label: texts.columns.checked,
    width: '110px',
    cell: ({ checked_at }) => <When at={checked_at} relative />,
    hideOnPhone: true,
  },
];

export function AdaptersPage(): ReactNode {
  const { projectId } = route.useParams();
  const { register } = route.useSearch();
  const navigate = useNavigate({ from: '/p/$projectId/developer-portal' });
  const may = useScope('apps:write');
  const { data = [], isPending, error } = useAdapters();
  const open = (shown: boolean): void => void navigate({ search: { register: shown || undefined } });
  return (
    <Page
      title={texts.title}
      description={texts.description}
      actions={
        <ActionButton
          leftSection={<Plus size={15} aria-hidden />}
          reason={may ? null : texts.cannotChange}
          onClick={() => open(true)}
        >
          {texts.register}
        </ActionButton>
      }
    >
      <DataTable
        label={texts.title}
        columns={columns}
        list={{ rows: data, loading: isPending, error }}
        rowKey={({ id }) => id}
        rowLink={({ id }) => ({
          to: '/p/$projectId/developer-portal/$adapterId',
          params: { projectId, adapterId: id },
        })}
        empty={<EmptyState icon={SquareTerminal} {...texts.empty} />}
      />
      <Modal opened={register === true && may} onClose={() => open(false)} title={texts.form.title} size="lg">
        <Register
          onClose={() => open(false)}
          onDone={(adapterId) =>
            void navigate({ to: '/p/$projectId/developer-portal/$adapterId', params: { projectId, adapterId } })
          }
        />
      </Modal>
    </Page>
  );
}

function Register({ onClose, onDone }: { onClose: () => void; onDone: (id: string) => void }): ReactNode {
  const [url, setUrl] = useState('');
  const register = useAdapterMutation((sent: string) => answer(api.POST('/api/v1/adapters', { body: { url: sent } })));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        register.mutate(url.trim(), { onSuccess: ({ id }) => onDone(id) });
      }}
    >
      <Stack gap="md">
        <TextInput
          label={texts.form.url}
          description={texts.form.urlHint}
          placeholder="https://adapters.example.com/slack"
          type="url"
          required
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
          data-autofocus
        />
        <ProblemAlert error={register.error} />
        <DialogButtons action={texts.form.submit} loading={register.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}
