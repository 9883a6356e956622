import { Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { GraduationCap, Plus, SearchX, Upload } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useSkills } from '../../api/choices.js';
import { answer, api, type Schema } from '../../api/client.js';
import { useProjectId } from '../../api/project-query.js';
import { useRefresh } from '../../api/use-change.js';
import { skillTexts } from '../../texts/skills.js';
import { ActionButton } from '../../ui/action-button.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { FormModal } from '../../ui/dialog.js';
import { useReason } from '../../ui/editable.js';
import { FilterBar, FilterText } from '../../ui/filter-bar.js';
import { NameField } from '../../ui/name-field.js';
import { EmptyState, fieldError } from '../../ui/notices.js';
import { Page } from '../../ui/page.js';
import { When } from '../../ui/when.js';
import { ImportSkill } from './import-skill.js';

const route = getRouteApi('/p/$projectId/skills');

export function SkillsPage(): ReactNode {
  const { name, add } = route.useSearch();
  const projectId = useProjectId();
  const navigate = useNavigate({ from: '/p/$projectId/skills' });
  const reason = useReason('tools:write');
  const skills = useSkills();
  const rows = (skills.data ?? []).filter((row) => row.name.toLowerCase().includes((name ?? '').toLowerCase()));
  const open = (which: 'new' | 'import'): void => void navigate({ search: { add: which } });
  const close = (): void => void navigate({ search: {}, replace: true });
  return (
    <Page
      title={skillTexts.title}
      description={skillTexts.description}
      actions={
        <>
          <ActionButton
            variant="default"
            leftSection={<Upload size={15} aria-hidden />}
            reason={reason}
            onClick={() => open('import')}
          >
            {skillTexts.import}
          </ActionButton>
          <ActionButton leftSection={<Plus size={15} aria-hidden />} reason={reason} onClick={() => open('new')}>
            {skillTexts.create}
          </ActionButton>
        </>
      }
    >
      {(skills.data?.length ?? 0) > 0 && (
        <FilterBar filtered={name !== undefined} onClear={close}>
          <FilterText
            label={skillTexts.filters.name}
            value={name}
            onChange={(next) => void navigate({ search: next ? { name: next } : {}, replace: true })}
          />
        </FilterBar>
      )}
      <DataTable
        label={skillTexts.title}
        columns={columns}
        list={{ rows, loading: skills.isPending, error: skills.error, refresh: () => void skills.refetch() }}
        rowKey={({ id }) => id}
        rowLink={({ id }) => ({ to: '/p/$projectId/skills/$skillId', params: { projectId, skillId: id } })}
        empty={
          name ? (
            <EmptyState icon={SearchX} {...skillTexts.emptyFiltered} />
          ) : (
            <EmptyState icon={GraduationCap} {...skillTexts.empty} />
          )
        }
      />
      <NewSkill opened={add === 'new' && reason === null} onClose={close} />
      <ImportSkill opened={add === 'import' && reason === null} onClose={close} />
    </Page>
  );
}

const { columns: names } = skillTexts;
const columns: Column<Schema<'SkillView'>>[] = [
  { id: 'name', label: names.name, value: ({ name }) => name, width: 'minmax(0, 1.2fr)', cell: ({ name }) => name },
  {
    id: 'description',
    label: names.description,
    width: 'minmax(0, 2fr)',
    cell: ({ description }) => description,
    hideOnPhone: true,
  },
  {
    id: 'tools',
    label: names.tools,
    value: ({ tools }) => tools.length,
    width: '90px',
    cell: ({ tools }) => skillTexts.toolCount(tools.length),
  },
  {
    id: 'origin',
    label: names.origin,
    value: ({ origin }) => skillTexts.origins[origin],
    width: '110px',
    cell: ({ origin }) => skillTexts.origins[origin],
  },
  { id: 'version', label: names.version, width: '70px', cell: ({ version }) => version, hideOnPhone: true },
  {
    id: 'changed',
    label: names.changed,
    value: (row) => row.updated_at,
    width: '110px',
    cell: (row) => <When at={row.updated_at} relative />,
  },
];

const texts = skillTexts.fields;

function NewSkill({ opened, onClose }: { opened: boolean; onClose: () => void }): ReactNode {
  const projectId = useProjectId();
  const navigate = useNavigate();
  const refresh = useRefresh('skills', 'agents', 'tools');
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const create = useMutation({
    mutationFn: () => answer(api.POST('/api/v1/skills', { body: { name, description } })),
    onSuccess: ({ id }) => {
      void refresh();
      void navigate({ to: '/p/$projectId/skills/$skillId', params: { projectId, skillId: id } });
    },
  });
  return (
    <FormModal
      opened={opened}
      title={skillTexts.create}
      submit={skillTexts.createAction}
      saving={create.isPending}
      error={create.error}
      fields={['name', 'description']}
      ready={name.trim() !== ''}
      onSubmit={() => create.mutate()}
      onClose={onClose}
    >
      <NameField first value={name} error={create.error} onChange={setName} />
      <Textarea
        label={texts.description}
        description={texts.descriptionHint}
        autosize
        minRows={2}
        maxLength={1_024}
        value={description}
        error={fieldError(create.error, 'description')}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
    </FormModal>
  );
}
