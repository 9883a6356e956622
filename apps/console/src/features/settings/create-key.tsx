import { Group, Modal, Select, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { hasScope, useRoles, useSession } from '../../api/session.js';
import { useChange } from '../../api/use-change.js';
import { settingsTexts } from '../../texts/settings.js';
import { DialogButtons } from '../../ui/dialog.js';
import { errorBeside, fieldError, ProblemAlert } from '../../ui/notices.js';
import { NameField } from '../../ui/name-field.js';
import { SecretOnce } from '../../ui/secret-once.js';
import { ScopePicker } from './scope-picker.js';

type Scope = Schema<'CreateApiKey'>['scopes'][number];
const texts = settingsTexts.keys;
const dayMs = 86_400_000;
const fields = ['name', 'scopes', 'expires_at'];

export function CreateKey({ opened, onClose }: { opened: boolean; onClose: () => void }): ReactNode {
  const { scopes: mine } = useSession();
  const { data: roles = [] } = useRoles();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<string[]>([]);
  const [days, setDays] = useState<keyof typeof texts.lifetimes>('90');
  const [key, setKey] = useState<string | null>(null);
  const create = useChange(
    () => {
      const expires_at = days === 'never' ? undefined : new Date(Date.now() + Number(days) * dayMs).toISOString();
      return answer(api.POST('/api/v1/api-keys', { body: { name, scopes: scopes as Scope[], expires_at } }));
    },
    'api-keys',
    'principals',
  );
  const send = (): void =>
    create.mutate(undefined, {
      onSuccess: (made) => {
        setKey(made.key);
        setName('');
        setScopes([]);
        onClose();
      },
    });
  return (
    <>
      <Modal opened={opened} onClose={onClose} title={texts.create} size="lg" centered>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            send();
          }}
        >
          <Stack gap="md">
            <NameField first description={texts.nameHint} value={name} error={create.error} onChange={setName} />
            <Group grow align="flex-start">
              <Select
                label={texts.preset}
                placeholder={texts.presetNone}
                data={roles.map((role) => ({ value: role.name, label: settingsTexts.roleNames[role.name] }))}
                value={null}
                onChange={(chosen) => {
                  const role = roles.find((one) => one.name === chosen);
                  if (role) setScopes(role.scopes.filter((scope) => hasScope(mine, scope)));
                }}
              />
              <Select
                label={texts.expires}
                data={Object.entries(texts.lifetimes).map(([value, label]) => ({ value, label }))}
                value={days}
                allowDeselect={false}
                error={fieldError(create.error, 'expires_at')}
                onChange={(chosen) => setDays((chosen ?? 'never') as keyof typeof texts.lifetimes)}
              />
            </Group>
            <ScopePicker
              offered={mine}
              value={scopes}
              error={fieldError(create.error, 'scopes')}
              onChange={setScopes}
            />
            <ProblemAlert error={errorBeside(create.error, fields)} />
            <DialogButtons
              action={texts.createAction}
              loading={create.isPending}
              disabled={scopes.length === 0}
              onCancel={onClose}
            />
          </Stack>
        </form>
      </Modal>
      <SecretOnce title={texts.keyTitle} label={texts.key} secret={key} onDone={() => setKey(null)} />
    </>
  );
}
