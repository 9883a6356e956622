import { Modal, Stack, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { answer, api } from '../../api/client.js';
import type { Role } from '../../api/session.js';
import { useChange } from '../../api/use-change.js';
import { settingsTexts } from '../../texts/settings.js';
import { DialogButtons } from '../../ui/dialog.js';
import { errorBeside, fieldError, ProblemAlert } from '../../ui/notices.js';
import { SecretOnce } from '../../ui/secret-once.js';
import { RoleSelect } from './role-table.js';

const texts = settingsTexts.members;
const fields = ['email', 'name', 'role'];

export function InviteMember({ opened, onClose }: { opened: boolean; onClose: () => void }): ReactNode {
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role['name']>('viewer');
  const [link, setLink] = useState<string | null>(null);
  const invite = useChange(
    () => answer(api.POST('/api/v1/members', { body: { email, role, ...(name ? { name } : {}) } })),
    'members',
    'principals',
  );
  const send = (): void =>
    invite.mutate(undefined, {
      onSuccess: ({ sign_in_link }) => {
        setLink(sign_in_link);
        setEmail('');
        setName('');
        onClose();
      },
    });
  return (
    <>
      <Modal opened={opened} onClose={onClose} title={texts.invite} centered>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            send();
          }}
        >
          <Stack gap="md">
            <TextInput
              label={texts.email}
              type="email"
              required
              data-autofocus
              value={email}
              error={fieldError(invite.error, 'email')}
              onChange={(event) => setEmail(event.currentTarget.value)}
            />
            <TextInput
              label={texts.name}
              description={texts.nameHint}
              value={name}
              error={fieldError(invite.error, 'name')}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <RoleSelect value={role} onChange={setRole} error={fieldError(invite.error, 'role')} />
            <ProblemAlert error={errorBeside(invite.error, fields)} />
            <DialogButtons action={texts.inviteAction} loading={invite.isPending} onCancel={onClose} />
          </Stack>
        </form>
      </Modal>
      <SecretOnce title={texts.linkTitle} label={texts.link} secret={link} onDone={() => setLink(null)} />
    </>
  );
}
