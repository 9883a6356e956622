import { NumberInput, Select, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { own } from '../own.js';
import { uiTexts } from '../texts/ui.js';
import { useLongList } from './long-list.js';
import { jsonText } from './code-block.js';

interface Field {
  name: string;
  description?: string;
  required: boolean;
  kind: 'string' | 'number' | 'integer' | 'boolean' | 'choice' | 'json';
  choices: string[];
}

const kinds = ['string', 'number', 'integer', 'boolean'] as const;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The properties of a JSON Schema as fields of a form. */
export function fieldsOf(schema: Record<string, unknown> | null): Field[] {
  const properties = isRecord(schema?.properties) ? schema.properties : {};
  const required: unknown[] = Array.isArray(schema?.required) ? schema.required : [];
  return Object.entries(properties).map(([name, property]) => {
    const given = isRecord(property) ? property : {};
    const choices = Array.isArray(given.enum) ? given.enum.filter((one) => typeof one === 'string') : [];
    const isChoice = choices.length > 0 && choices.length === (Array.isArray(given.enum) ? given.enum.length : 0);
    const description = typeof given.description === 'string' ? given.description : undefined;
    const kind = isChoice ? 'choice' : (kinds.find((one) => one === given.type) ?? 'json');
    return { name, description, required: required.includes(name), kind, choices };
  });
}

interface SchemaFieldsProps {
  /** A JSON Schema of an object. */
  schema: Record<string, unknown> | null;
  value: Record<string, unknown>;
  onChange: (value: Record<string, unknown>) => void;
}

/** A form from a JSON Schema: a field for each property by its type; properties without a simple type are JSON. */
export function SchemaFields({ schema, value, onChange }: SchemaFieldsProps): ReactNode {
  const change = (name: string, given: unknown): void => {
    const { [name]: _before, ...others } = value;
    onChange(given === undefined || given === '' ? others : { ...others, [name]: given });
  };
  const { shown, more } = useLongList(fieldsOf(schema));
  return (
    <Stack gap="sm">
      {shown.map((field) => (
        <SchemaField
          key={field.name}
          field={field}
          value={own(value, field.name)}
          onChange={(given) => change(field.name, given)}
        />
      ))}
      {more}
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

interface JsonFieldProps {
  label: string;
  description?: string;
  required?: boolean;
  value: unknown;
  onChange: (value: unknown) => void;
}

/** One JSON value in a form. Text that is not valid yet is kept as typed and not passed on. */
function JsonField({ value, onChange, ...field }: JsonFieldProps): ReactNode {
  const [typed, setTyped] = useState(() => (value === undefined ? '' : jsonText(value, 0)));
  const take = (text: string): void => {
    setTyped(text);
    const read = readJson(text);
    if (read) onChange(read.value);
  };
  return (
    <Textarea
      {...field}
      autosize
      maxRows={12}
      placeholder="JSON"
      value={typed}
      error={readJson(typed) ? undefined : uiTexts.noJson}
      data-unreadable={readJson(typed) === null || undefined}
      onChange={(event) => take(event.currentTarget.value)}
    />
  );
}

function readJson(text: string): { value: unknown } | null {
  if (text.trim() === '') return { value: undefined };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return null;
  }
}
