import { Button, Checkbox, Menu, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Bookmark, Plus, Trash2, Users } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { answer, api, type Schema } from '../api/client.js';
import { useProjectId, useProjectQuery } from '../api/project-query.js';
import { useScope } from '../api/session.js';
import { useChange } from '../api/use-change.js';
import { uiTexts } from '../texts/ui.js';
import { FormModal } from './dialog.js';

const texts = uiTexts.views;

interface SavedViewsProps {
  list: Schema<'SavedViewView'>['list'];
  /** The filters of now, as they are in the address. */
  search: Readonly<Record<string, unknown>>;
}

/** The saved filters of a list, one's own and shared ones, and saving those of now. */
export default function SavedViews({ list, search }: SavedViewsProps): ReactNode {
  const [saving, setSaving] = useState(false);
  const projectId = useProjectId();
  const navigate = useNavigate();
  const may = useScope('events:read');
  const { data } = useProjectQuery(
    ['views', list],
    (signal) => answer(api.GET('/api/v1/views', { params: { query: { list } }, signal })),
    { enabled: may },
  );
  const remove = useChange(
    (id: string) => answer(api.DELETE('/api/v1/views/{id}', { params: { path: { id } } })),
    'views',
  );
  if (!may) return null;
  const views = data?.data ?? [];
  const filtered = Object.keys(search).length > 0;
  const hrefOf = (kept: Record<string, unknown>): string => {
    const query = new URLSearchParams(Object.entries(kept).map(([name, value]) => [name, String(value)]));
    return `/p/${projectId}/${list}?${query}`;
  };
  return (
    <>
      <Menu position="bottom-end" width={300}>
        <Menu.Target>
          <Button variant="default" leftSection={<Bookmark size={14} aria-hidden />}>
            {texts.title}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {views.length === 0 && <Menu.Label>{texts.none}</Menu.Label>}
          {views.map(({ id, name, shared, search: kept }) => (
            <Menu.Item
              key={id}
              rightSection={shared && <Users size={13} aria-label={texts.shared} />}
              onClick={() => void navigate({ href: hrefOf(kept) })}
            >
              {name}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item leftSection={<Plus size={14} aria-hidden />} disabled={!filtered} onClick={() => setSaving(true)}>
            {filtered ? texts.save : texts.filterFirst}
          </Menu.Item>
          {views
            .filter(({ deletable }) => deletable)
            .map(({ id, name }) => (
              <Menu.Item
                key={id}
                color="red"
                leftSection={<Trash2 size={14} aria-hidden />}
                onClick={() => remove.mutate(id)}
              >
                {texts.remove(name)}
              </Menu.Item>
            ))}
        </Menu.Dropdown>
      </Menu>
      <SaveView list={list} search={search} opened={saving} onClose={() => setSaving(false)} />
    </>
  );
}

function SaveView({
  list,
  search,
  opened,
  onClose,
}: SavedViewsProps & { opened: boolean; onClose: () => void }): ReactNode {
  const [name, setName] = useState('');
  const [shared, setShared] = useState(false);
  const save = useChange(async () => {
    await answer(api.POST('/api/v1/views', { body: { list, name, shared, search: { ...search } } }));
    setName('');
    onClose();
  }, 'views');
  return (
    <FormModal
      opened={opened}
      title={texts.save}
      submit={uiTexts.save}
      saving={save.isPending}
      error={save.error}
      ready={name.trim() !== ''}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <TextInput
        label={texts.name}
        value={name}
        maxLength={100}
        data-autofocus
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Checkbox label={texts.share} checked={shared} onChange={(event) => setShared(event.currentTarget.checked)} />
    </FormModal>
  );
}
