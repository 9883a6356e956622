import { NumberInput, Select, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { JsonField } from './json-field.js';
import { type Field, fieldsOf } from './schema-fields-of.js';

interface SchemaFieldsProps {
  /** A JSON Schema of an object. */
  schema: Record<string, unknown> | null;
  value: Record<string, unknown>;
  onChange: (value: Record<string, unknown>) => void;
}

/** A form by a JSON Schema: a field for each property, in its own kind; what has none is JSON. */
export function SchemaFields({ schema, value, onChange }: SchemaFieldsProps): ReactNode {
  const change = (name: string, given: unknown): void => {
    const { [name]: _before, ...others } = value;
    onChange(given === undefined || given === '' ? others : { ...others, [name]: given });
  };
  return (
    <Stack gap="sm">
      {fieldsOf(schema).map((field) => (
        <SchemaField
          key={field.name}
          field={field}
          value={value[field.name]}
          onChange={(given) => change(field.name, given)}
        />
      ))}
    </Stack>
  );
}

interface SchemaFieldProps {
  field: Field;
  value: unknown;
  onChange: (value: unknown) => void;
}

function SchemaField({ field, value, onChange }: SchemaFieldProps): ReactNode {
  const { name, description, required } = field;
  const common = { label: name, description, required };
  if (field.kind === 'choice')
    return (
      <Select
        {...common}
        clearable={!required}
        data={field.choices}
        value={typeof value === 'string' ? value : null}
        onChange={(given) => onChange(given ?? undefined)}
      />
    );
  if (field.kind === 'boolean')
    return (
      <Switch
        label={name}
        description={description}
        checked={value === true}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    );
  if (field.kind === 'number' || field.kind === 'integer')
    return (
      <NumberInput
        {...common}
        hideControls
        allowDecimal={field.kind === 'number'}
        value={typeof value === 'number' ? value : ''}
        onChange={onChange}
      />
    );
  if (field.kind === 'string') {
    const shown = typeof value === 'string' ? value : '';
    if (shown.length > 60 || shown.includes('\n'))
      return (
        <Textarea
          {...common}
          autosize
          maxRows={12}
          value={shown}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    return <TextInput {...common} value={shown} onChange={(event) => onChange(event.currentTarget.value)} />;
  }
  return <JsonField {...common} value={value} onChange={onChange} />;
}
