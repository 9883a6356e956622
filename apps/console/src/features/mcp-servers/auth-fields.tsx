import { PasswordInput, Select, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useCredentials } from '../../api/choices.js';
import { useScope } from '../../api/session.js';
import { mcpTexts } from '../../texts/mcp-servers.js';
import type { ServerValues } from './server-fields.js';

const texts = mcpTexts.fields;
const modes = ['none', 'bearer', 'header', 'oauth'] as const;

interface AuthFieldsProps {
  value: ServerValues;
  onChange: (patch: Partial<ServerValues>) => void;
}

/** How we authenticate to a server, and with which credential. */
export function AuthFields({ value, onChange }: AuthFieldsProps): ReactNode {
  const { data: credentials = [] } = useCredentials(useScope('credentials:read'));
  const fitting = credentials.filter(({ type }) => type !== 'oauth2');
  const byToken = value.mode === 'bearer' || value.mode === 'header';
  return (
    <>
      <Select
        label={texts.auth}
        allowDeselect={false}
        data={modes.map((mode) => ({ value: mode, label: texts.modes[mode] }))}
        value={value.mode}
        onChange={(next) => onChange({ mode: modes.find((mode) => mode === next) ?? 'none' })}
      />
      {byToken && (
        <Select
          label={texts.credential}
          description={fitting.length === 0 ? texts.noCredentials : texts.credentialHint}
          required
          searchable
          data={fitting.map(({ id, name }) => ({ value: id, label: name }))}
          value={value.credentialId}
          onChange={(credentialId) => onChange({ credentialId })}
        />
      )}
      {value.mode === 'header' && (
        <TextInput
          label={texts.header}
          placeholder="X-Api-Key"
          value={value.header}
          onChange={(event) => onChange({ header: event.currentTarget.value })}
        />
      )}
      {value.mode === 'oauth' && (
        <>
          <TextInput
            label={texts.clientId}
            description={texts.clientHint}
            value={value.clientId}
            onChange={(event) => onChange({ clientId: event.currentTarget.value })}
          />
          {value.clientId && (
            <PasswordInput
              label={texts.clientSecret}
              value={value.clientSecret}
              onChange={(event) => onChange({ clientSecret: event.currentTarget.value })}
            />
          )}
        </>
      )}
    </>
  );
}
