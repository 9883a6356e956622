import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { answer, api } from '../../api/client.js';
import { useProjectId } from '../../api/project-query.js';
import { useRefresh } from '../../api/use-change.js';
import { mcpTexts } from '../../texts/mcp-servers.js';
import { FormModal } from '../../ui/dialog.js';
import { fieldError } from '../../ui/notices.js';
import { AuthFields } from './auth-fields.js';
import { provided } from './server-actions.js';
import { emptyServer, PolicyField, type ServerValues, SessionsField, TrustField } from './server-fields.js';

const texts = mcpTexts.fields;

/**
 * Registers a server by its URL. One that requires consent gets its own credential, which is connected on the server's
 * page.
 */
export function RegisterServer({ opened, onClose }: { opened: boolean; onClose: () => void }): ReactNode {
  const projectId = useProjectId();
  const navigate = useNavigate();
  const refresh = useRefresh(...provided);
  const [value, setValue] = useState(emptyServer);
  const change = (patch: Partial<ServerValues>): void => setValue((before) => ({ ...before, ...patch }));
  const register = useMutation({
    mutationFn: () => registered(value),
    onSuccess: (id) => {
      void refresh();
      void navigate({ to: '/p/$projectId/mcp-servers/$serverId', params: { projectId, serverId: id } });
    },
  });
  const needsCredential = value.mode === 'bearer' || value.mode === 'header';
  return (
    <FormModal
      opened={opened}
      title={mcpTexts.register}
      submit={mcpTexts.registerAction}
      size="lg"
      saving={register.isPending}
      error={register.error}
      fields={['url', 'name']}
      ready={value.url.trim() !== '' && (!needsCredential || value.credentialId !== null)}
      onSubmit={() => register.mutate()}
      onClose={onClose}
    >
      <TextInput
        label={texts.url}
        description={texts.urlHint}
        required
        data-autofocus
        type="url"
        placeholder="https://example.com/mcp"
        value={value.url}
        error={fieldError(register.error, 'url')}
        onChange={(event) => change({ url: event.currentTarget.value.trim() })}
      />
      <TextInput
        label={texts.name}
        description={texts.nameHint}
        maxLength={200}
        value={value.name}
        error={fieldError(register.error, 'name')}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <AuthFields value={value} onChange={change} />
      <PolicyField value={value.policy} onChange={(policy) => change({ policy })} />
      <TrustField value={value.trust} now="untrusted" onChange={(trust) => change({ trust })} />
      <SessionsField value={value.sessions} onChange={(sessions) => change({ sessions })} />
    </FormModal>
  );
}

async function registered(value: ServerValues): Promise<string> {
  const { url, policy, trust, sessions, mode } = value;
  const common = { url, policy, trust, sessions, ...(value.name ? { name: value.name } : {}) };
  if (mode === 'oauth') {
    const { clientId, clientSecret } = value;
    const client = clientId ? { client_id: clientId, ...(clientSecret ? { client_secret: clientSecret } : {}) } : {};
    const { server } = await answer(api.POST('/api/v1/mcp-servers/oauth', { body: { ...common, ...client } }));
    return server.id;
  }
  const auth = {
    mode,
    credential_id: mode === 'none' ? null : value.credentialId,
    header: mode === 'header' ? value.header || null : null,
  };
  const { id } = await answer(api.POST('/api/v1/mcp-servers', { body: { ...common, auth } }));
  return id;
}
