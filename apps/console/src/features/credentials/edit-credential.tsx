import { Modal, Select, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { answer, api } from '../../api/client.js';
import { useListings } from '../../api/listings.js';
import { type Tagged, useGuardedEdit } from '../../api/use-guarded-edit.js';
import { credentialTexts } from '../../texts/credentials.js';
import { uiTexts } from '../../texts/ui.js';
import { DialogButtons } from '../../ui/dialog-buttons.js';
import { EtagConflict } from '../../ui/etag-conflict.js';
import { errorBeside, fieldError } from '../../ui/field-errors.js';
import { NameField } from '../../ui/name-field.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { type Credential, readCredential, useRefreshCredentials } from './use-credential.js';

const valuesOf = ({ name, adapter_slug }: Credential) => ({ name, adapter_slug });
type Values = ReturnType<typeof valuesOf>;

/** Name and provider. Field values are replaced one by one. */
export function EditCredential({ shown, onClose }: { shown: Tagged<Credential>; onClose: () => void }): ReactNode {
  const [base] = useState(shown);
  const [values, setValues] = useState(() => valuesOf(base.data));
  const { data: listings = [] } = useListings();
  const refresh = useRefreshCredentials();
  const { id } = base.data;
  const edit = useGuardedEdit({
    base,
    toValues: valuesOf,
    read: () => readCredential(id),
    save: (body: Values, etag) =>
      answer(
        api.PATCH('/api/v1/credentials/{id}', {
          params: { path: { id }, header: { 'If-Match': etag ?? undefined } },
          body,
        }),
      ),
    onTheirs: setValues,
    onSaved: () => {
      onClose();
      void refresh();
    },
  });
  return (
    <Modal opened onClose={onClose} title={credentialTexts.one.rename}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          edit.save(values);
        }}
      >
        <Stack gap="md">
          <NameField first value={values.name} error={edit.error} onChange={(name) => setValues({ ...values, name })} />
          <Select
            label={credentialTexts.form.adapter}
            description={credentialTexts.form.adapterHint}
            data={listings
              .filter(({ kind, adapter }) => kind === 'adapter' && adapter !== null)
              .map(({ slug, name }) => ({ value: slug, label: name }))}
            placeholder={credentialTexts.form.adapterNone}
            value={values.adapter_slug}
            clearable
            searchable
            error={fieldError(edit.error, 'adapter_slug')}
            onChange={(adapter_slug) => setValues({ ...values, adapter_slug })}
          />
          <ProblemAlert error={errorBeside(edit.error, ['name', 'adapter_slug'])} />
          <DialogButtons action={uiTexts.save} loading={edit.saving} onCancel={onClose} />
        </Stack>
      </form>
      <EtagConflict label={credentialTexts.one.conflict} {...edit.conflict} />
    </Modal>
  );
}
