import { Button, Checkbox, List, Modal, Select, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useListings } from '../../api/choices.js';
import { answer, api, type Tagged } from '../../api/client.js';
import { useProjectId } from '../../api/project-query.js';
import { credentialTexts } from '../../texts/credentials.js';
import { uiTexts } from '../../texts/ui.js';
import { DialogButtons } from '../../ui/dialog.js';
import { EtagConflict } from '../../ui/etag-conflict.js';
import { NameField } from '../../ui/name-field.js';
import { errorBeside, fieldError, ProblemAlert } from '../../ui/notices.js';
import { useEditor } from '../../ui/use-editor.js';
import { ConsumerName } from './credential-uses.js';
import { type Credential, touched, useBindings, useCredentialMutation } from './use-credential.js';

/** Name and provider. Field values are replaced one by one. */
export function EditCredential({ shown, onClose }: { shown: Tagged<Credential>; onClose: () => void }): ReactNode {
  const { data: listings = [] } = useListings();
  const { id, name, adapter_slug } = shown.data;
  const edit = useEditor({
    saved: { name, adapter_slug },
    etag: shown.etag,
    touched,
    save: ({ value: body }, match) =>
      answer(api.PATCH('/api/v1/credentials/{id}', { params: { path: { id }, header: { 'If-Match': match } }, body })),
    onSaved: onClose,
  });
  return (
    <Modal opened onClose={onClose} title={credentialTexts.one.rename}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          edit.save();
        }}
      >
        <Stack gap="md">
          <NameField first value={edit.value.name} error={edit.error} onChange={(next) => edit.set({ name: next })} />
          <Select
            label={credentialTexts.form.adapter}
            description={credentialTexts.form.adapterHint}
            data={listings
              .filter(({ kind, adapter }) => kind === 'adapter' && adapter !== null)
              .map((listing) => ({ value: listing.slug, label: listing.name }))}
            placeholder={credentialTexts.form.adapterNone}
            value={edit.value.adapter_slug}
            clearable
            searchable
            error={fieldError(edit.error, 'adapter_slug')}
            onChange={(next) => edit.set({ adapter_slug: next })}
          />
          <ProblemAlert error={errorBeside(edit.error, ['name', 'adapter_slug'])} />
          <DialogButtons action={uiTexts.save} loading={edit.saving} onCancel={onClose} />
        </Stack>
      </form>
      <EtagConflict label={credentialTexts.one.conflict} {...edit.conflict} />
    </Modal>
  );
}

const texts = credentialTexts.one;

/** Deletes the credential after showing what stops working. */
export function DeleteCredential({ credential }: { credential: Credential }): ReactNode {
  const projectId = useProjectId();
  const navigate = useNavigate();
  const [open, setOpen] = useState(false);
  const [anyway, setAnyway] = useState(false);
  const { data: bindings } = useBindings(credential.id);
  const used = bindings !== undefined && bindings.length > 0;
  const remove = useCredentialMutation(() =>
    answer(
      api.DELETE('/api/v1/credentials/{id}', {
        params: { path: { id: credential.id }, query: { force: used ? 'true' : undefined } },
      }),
    ).then(() => navigate({ to: '/p/$projectId/credentials', params: { projectId }, search: {} })),
  );
  return (
    <>
      <Button variant="outline" color="red" onClick={() => setOpen(true)}>
        {texts.delete}
      </Button>
      <Modal opened={open} onClose={() => setOpen(false)} title={texts.deleteTitle} centered>
        <Stack gap="md">
          <Text>{texts.deleteText}</Text>
          {bindings?.length === 0 && <Text>{texts.deleteNothing}</Text>}
          {used && (
            <>
              <div>
                <Text fw={500}>{texts.deleteBreaks}</Text>
                <List>
                  {bindings.map((binding) => (
                    <List.Item key={binding.id}>
                      <ConsumerName kind={binding.consumer_kind} id={binding.consumer_id} />
                    </List.Item>
                  ))}
                </List>
              </div>
              <Checkbox
                label={texts.deleteAnyway}
                checked={anyway}
                onChange={(event) => setAnyway(event.currentTarget.checked)}
              />
            </>
          )}
          <ProblemAlert error={remove.error} />
          <DialogButtons
            action={texts.delete}
            color="red"
            disabled={!bindings || (used && !anyway)}
            loading={remove.isPending}
            onAction={() => remove.mutate(undefined)}
            onCancel={() => setOpen(false)}
          />
        </Stack>
      </Modal>
    </>
  );
}
