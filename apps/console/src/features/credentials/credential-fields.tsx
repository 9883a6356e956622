import { Badge, Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { answer, api } from '../../api/client.js';
import { useScope } from '../../api/session.js';
import { credentialTexts } from '../../texts/credentials.js';
import { ConfirmButton } from '../../ui/action-button.js';
import { DialogButtons } from '../../ui/dialog.js';
import { OverlapSelect, usualOverlapSeconds } from '../../ui/overlap-select.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { ReplaceFields } from './replace-fields.js';
import { type Credential, useCredentialMutation } from './use-credential.js';

const texts = credentialTexts.one;
/** Fields that the vault maintains itself. */
const kept = ['access_token', 'refresh_token'];
/** Checks signatures, as the vault knows it: two values can be valid at once. */
const signingName = /(?:^|_)(?:signing|webhook)_(?:secret|key)(?:_|$)/;

/** The names of the fields, and how their values are replaced. */
export function CredentialFields({ credential }: { credential: Credential }): ReactNode {
  const may = useScope('credentials:write');
  const [replacing, setReplacing] = useState<string | null>(null);
  const { id, type, fields, declared_fields: declared } = credential;
  const isList = (field: string): boolean => declared?.some(({ name, list }) => name === field && list) ?? false;
  const isRotating = (field: string): boolean => credential.rotating.some((one) => one.field === field);
  const set = fields.filter((field) => !(type === 'oauth2' && kept.includes(field)));
  const finish = useCredentialMutation((field: string) =>
    answer(api.POST('/api/v1/credentials/{id}/fields/{field}/finish-rotation', { params: { path: { id, field } } })),
  );
  return (
    <Section
      title={texts.fields}
      actions={may && type !== 'api_key' && <ReplaceFields credential={credential} names={set} />}
    >
      <Text size="sm" c="dimmed" mb="sm">
        {texts.fieldsText}
      </Text>
      <Stack gap="xs">
        {fields.map((field) => (
          <Group key={field} justify="space-between" gap="xs">
            <Group gap="xs">
              <code>{field}</code>
              {isList(field) && (
                <Badge variant="default" radius="sm" tt="none" fw={500}>
                  {texts.list}
                </Badge>
              )}
            </Group>
            {may && set.includes(field) && (
              <Group gap="xs">
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={texts.replaceTitle(field)}
                  onClick={() => setReplacing(field)}
                >
                  {texts.replace}
                </Button>
                {(isList(field) || isRotating(field)) && (
                  <ConfirmButton size="compact-sm" question={texts.endQuestion} onConfirm={() => finish.mutate(field)}>
                    {texts.endOverlap}
                  </ConfirmButton>
                )}
              </Group>
            )}
          </Group>
        ))}
        {finish.isSuccess && (
          <Text size="sm" role="status">
            {texts.ended}
          </Text>
        )}
        <ProblemAlert error={finish.error} />
      </Stack>
      <Modal opened={replacing !== null} onClose={() => setReplacing(null)} title={texts.replaceTitle(replacing ?? '')}>
        {replacing !== null && (
          <Replace
            id={id}
            field={replacing}
            overlaps={isList(replacing) || signingName.test(replacing)}
            onClose={() => setReplacing(null)}
          />
        )}
      </Modal>
    </Section>
  );
}

interface ReplaceProps {
  id: string;
  field: string;
  /** The old value stays valid. */
  overlaps: boolean;
  onClose: () => void;
}

function Replace({ id, field, overlaps, onClose }: ReplaceProps): ReactNode {
  const [value, setValue] = useState('');
  const [overlap, setOverlap] = useState(usualOverlapSeconds);
  const rotate = useCredentialMutation(() =>
    answer(
      api.POST('/api/v1/credentials/{id}/fields/{field}/rotate', {
        params: { path: { id, field } },
        body: { value, ...(overlaps && { overlap_seconds: overlap }) },
      }),
    ),
  );
  return (
    <form
      autoComplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        rotate.mutate(undefined, { onSuccess: onClose });
      }}
    >
      <Stack gap="md">
        {overlaps ? <OverlapSelect seconds={overlap} onChange={setOverlap} /> : <Text size="sm">{texts.atOnce}</Text>}
        <PasswordInput
          label={texts.newValue}
          required
          autoComplete="new-password"
          value={value}
          onChange={(event) => setValue(event.currentTarget.value)}
          data-autofocus
        />
        <ProblemAlert error={rotate.error} />
        <DialogButtons action={texts.replace} loading={rotate.isPending} disabled={value === ''} onCancel={onClose} />
      </Stack>
    </form>
  );
}
