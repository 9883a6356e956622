import { ActionIcon, Button, Group, PasswordInput, Stack, TextInput } from '@mantine/core';
import { Plus, X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Schema } from '../../api/client.js';
import { credentialTexts } from '../../texts/credentials.js';
import { fieldError } from '../../ui/notices.js';

const texts = credentialTexts.form;
type Type = Schema<'CredentialView'>['type'];

/** One field as it is typed. */
export interface FieldValue {
  id: number;
  name: string;
  /** The person cannot change the name. */
  fixed: boolean;
  label: string;
  value: string;
  required: boolean;
  secret: boolean;
}

let made = 0;
const field = (name: string, part: Partial<FieldValue> = {}): FieldValue => ({
  id: (made += 1),
  name,
  fixed: name !== '',
  label: name,
  value: '',
  required: true,
  secret: true,
  ...part,
});

/** The fields that a new credential of this type needs. */
export function firstFields(type: Type, declared: Schema<'CredentialDeclarationView'>[]): FieldValue[] {
  if (type === 'api_key') return [field('token', { label: texts.token })];
  if (type === 'oauth2')
    return [
      field('client_id', { label: texts.clientId, secret: false }),
      field('client_secret', { label: texts.clientSecret, required: false }),
      // Of an account that is connected elsewhere: the vault refreshes them from then on.
      field('access_token', { label: texts.accessToken, required: false }),
      field('refresh_token', { label: texts.refreshToken, required: false }),
    ];
  const wanted = declared.map(({ maps_to, label, required }) =>
    field(maps_to, { label, required: required !== false, fixed: declared.length > 1 }),
  );
  return wanted.length > 0 ? wanted : [field('')];
}

/** The existing fields, each awaiting a new value. */
export const fieldsNamed = (names: readonly string[]): FieldValue[] => names.map((name) => field(name));

/** As the API takes them. */
export const fieldsOf = (fields: FieldValue[]): Record<string, string> =>
  Object.fromEntries(fields.filter(({ name, value }) => name && value).map(({ name, value }) => [name, value]));

interface FieldValuesProps {
  type: Type;
  fields: FieldValue[];
  onChange: (fields: FieldValue[]) => void;
  error: unknown;
}

export function FieldValues({ type, fields, onChange, error }: FieldValuesProps): ReactNode {
  const set = (id: number, part: Partial<FieldValue>): void =>
    onChange(fields.map((one) => (one.id === id ? { ...one, ...part } : one)));
  return (
    <Stack gap="sm">
      {fields.map((one, index) => {
        const Input = one.secret ? PasswordInput : TextInput;
        const value = (
          <Input
            label={one.fixed ? one.label : texts.value}
            aria-label={one.fixed ? undefined : texts.fieldValue(index + 1)}
            required={one.required}
            value={one.value}
            autoComplete="new-password"
            error={fieldError(error, `fields.${one.name}`)}
            onChange={(event) => set(one.id, { value: event.currentTarget.value })}
            flex={2}
          />
        );
        if (one.fixed) return <div key={one.id}>{value}</div>;
        return (
          <Group key={one.id} gap="xs" align="flex-end" wrap="nowrap">
            <TextInput
              label={texts.field}
              aria-label={texts.fieldName(index + 1)}
              required
              value={one.name}
              onChange={(event) => set(one.id, { name: event.currentTarget.value })}
              flex={1}
            />
            {value}
            {fields.length > 1 && (
              <ActionIcon
                variant="subtle"
                color="gray"
                size={36}
                aria-label={texts.removeField(one.name)}
                onClick={() => onChange(fields.filter(({ id }) => id !== one.id))}
              >
                <X size={16} aria-hidden />
              </ActionIcon>
            )}
          </Group>
        );
      })}
      {type === 'text' && (
        <Group>
          <Button
            variant="subtle"
            color="gray"
            leftSection={<Plus size={14} aria-hidden />}
            onClick={() => onChange([...fields, field('')])}
          >
            {texts.addField}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
