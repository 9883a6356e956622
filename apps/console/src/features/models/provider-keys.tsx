import { Group, PasswordInput, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useCredentials } from '../../api/choices.js';
import { answer, api } from '../../api/client.js';
import { useScope } from '../../api/session.js';
import { useChange } from '../../api/use-change.js';
import { modelTexts } from '../../texts/models.js';
import { ActionButton } from '../../ui/action-button.js';
import { AssignList } from '../../ui/assign-list.js';
import { ProblemAlert } from '../../ui/notices.js';
import { StatusBadge } from '../../ui/status-badge.js';

const texts = modelTexts.fields;

interface ProviderKeysProps {
  /** The provider's. */
  name: string;
  chosen: string[];
  error: string | undefined;
  onChange: (credentialIds: string[]) => void;
}

/** The keys of a provider in the order in which they are used. A pasted one becomes a credential. */
export function ProviderKeys({ name, chosen, error, onChange }: ProviderKeysProps): ReactNode {
  const mayRead = useScope('credentials:read');
  const mayWrite = useScope('credentials:write');
  const { data: credentials = [] } = useCredentials(mayRead);
  const [pasted, setPasted] = useState('');
  const store = useChange(async () => {
    const id = await storedKey(name, pasted);
    setPasted('');
    onChange([...chosen, id]);
  }, 'credentials');
  return (
    <Stack gap="xs">
      {!mayRead && <Text c="dimmed">{texts.keysLacks}</Text>}
      <AssignList
        label={texts.keys}
        hint={texts.keysHint}
        add={texts.keysAdd}
        none={texts.keysNone}
        nothingLeft={texts.keysNothing}
        removeLabel={texts.keysRemove}
        moveLabel={texts.keysMove}
        options={credentials.map((one) => ({ id: one.id, name: one.name, mark: <StatusBadge status={one.status} /> }))}
        chosen={chosen}
        onChange={onChange}
      />
      {error && (
        <Text size="sm" c="red">
          {error}
        </Text>
      )}
      {mayWrite && (
        <Group align="end">
          <PasswordInput
            label={texts.key}
            description={texts.keyHint}
            autoComplete="off"
            w={360}
            maw="100%"
            value={pasted}
            onChange={(event) => setPasted(event.currentTarget.value)}
          />
          <ActionButton
            variant="default"
            reason={pasted === '' ? texts.keyMissing : null}
            loading={store.isPending}
            onClick={() => store.mutate()}
          >
            {texts.keyAdd}
          </ActionButton>
        </Group>
      )}
      <ProblemAlert error={store.error} />
    </Stack>
  );
}

/** Stores a pasted key in the vault. @returns the credential's id */
export async function storedKey(provider: string, token: string): Promise<string> {
  const body = { name: `${provider} ${Date.now().toString(36)}`, type: 'api_key' as const, fields: { token } };
  return (await answer(api.POST('/api/v1/credentials', { body }))).id;
}
