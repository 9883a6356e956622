import { Button, Checkbox, List, Modal, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { answer, api } from '../../api/client.js';
import { useProjectId } from '../../api/project-query.js';
import { credentialTexts } from '../../texts/credentials.js';
import { DialogButtons } from '../../ui/dialog-buttons.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { ConsumerName } from './consumer-name.js';
import { type Credential, useBindings, useCredentialMutation } from './use-credential.js';

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
