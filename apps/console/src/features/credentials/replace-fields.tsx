import { Button, Modal, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { answer, api } from '../../api/client.js';
import { credentialTexts } from '../../texts/credentials.js';
import { DialogButtons } from '../../ui/dialog.js';
import { errorBeside, ProblemAlert } from '../../ui/notices.js';
import { fieldsNamed, fieldsOf, FieldValues } from './field-values.js';
import { type Credential, useCredentialMutation } from './use-credential.js';

const texts = credentialTexts.one;

interface ReplaceFieldsProps {
  credential: Credential;
  /** The fields that a person sets. */
  names: readonly string[];
}

/** New values for all fields in one step. This repairs a record that cannot be decrypted. */
export function ReplaceFields({ credential, names }: ReplaceFieldsProps): ReactNode {
  const { id, type } = credential;
  const [open, setOpen] = useState(false);
  const [fields, setFields] = useState(() => fieldsNamed(names));
  const rotate = useCredentialMutation(() =>
    answer(
      api.POST('/api/v1/credentials/{id}/rotate', { params: { path: { id } }, body: { fields: fieldsOf(fields) } }),
    ),
  );
  const begin = (): void => {
    setFields(fieldsNamed(names));
    rotate.reset();
    setOpen(true);
  };
  return (
    <>
      <Button size="compact-sm" variant="default" onClick={begin}>
        {texts.rotateAll}
      </Button>
      <Modal opened={open} onClose={() => setOpen(false)} title={texts.rotateAll} size="lg">
        <form
          autoComplete="off"
          onSubmit={(event) => {
            event.preventDefault();
            rotate.mutate(undefined, { onSuccess: () => setOpen(false) });
          }}
        >
          <Stack gap="md">
            <Text size="sm">{texts.rotateAllText}</Text>
            <FieldValues type={type} fields={fields} onChange={setFields} error={rotate.error} />
            <ProblemAlert
              error={errorBeside(
                rotate.error,
                fields.map(({ name }) => `fields.${name}`),
              )}
            />
            <DialogButtons action={texts.replace} loading={rotate.isPending} onCancel={() => setOpen(false)} />
          </Stack>
        </form>
      </Modal>
    </>
  );
}
