import { Modal, Select, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { answer, api, type Tagged } from '../../api/client.js';
import { useListings } from '../../api/listings.js';
import { credentialTexts } from '../../texts/credentials.js';
import { uiTexts } from '../../texts/ui.js';
import { DialogButtons } from '../../ui/dialog-buttons.js';
import { EtagConflict } from '../../ui/etag-conflict.js';
import { errorBeside, fieldError } from '../../ui/field-errors.js';
import { NameField } from '../../ui/name-field.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { useEditor } from '../../ui/use-editor.js';
import { type Credential, touched } from './use-credential.js';

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
