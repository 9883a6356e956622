import { Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { useCredentials } from '../../api/choices.js';
import { useScope } from '../../api/session.js';
import type { Schema } from '../../api/client.js';
import { integrationTexts } from '../../texts/integrations.js';

const texts = integrationTexts.installing;

interface CredentialSelectProps {
  type: Schema<'CredentialView'>['type'];
  label: string;
  required: boolean;
  value: string | null;
  onChange: (id: string | null) => void;
  error?: string;
  disabled?: boolean;
}

/** A credential of the project, of the required type. */
export function CredentialSelect(props: CredentialSelectProps): ReactNode {
  const { type, label, required, value, onChange, error, disabled } = props;
  const mayRead = useScope('credentials:read');
  const { data = [], isLoading } = useCredentials(mayRead);
  const fitting = data.filter((credential) => credential.type === type);
  const none = !isLoading && fitting.length === 0;
  return (
    <Select
      label={label}
      description={none ? texts.credentialNone : required ? undefined : texts.optional}
      placeholder={texts.credentialLater}
      data={fitting.map(({ id, name }) => ({ value: id, label: name }))}
      value={value}
      onChange={onChange}
      error={error}
      disabled={disabled || none}
      searchable={fitting.length > 8}
      clearable
    />
  );
}
