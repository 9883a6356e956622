import { type ReactNode, useState } from 'react';
import { JsonEditor } from '../../ui/code-editor.js';
import { jsonObject } from '../../ui/json-object.js';

/** A text: it is no JSON object yet. Null: there is none. */
export type DraftObject = Record<string, unknown> | string | null;

interface JsonObjectFieldProps {
  label: string;
  description: string;
  value: DraftObject;
  /** What a text says that is no JSON object. */
  noJson: string;
  error: string | undefined;
  onChange: (value: DraftObject) => void;
}

/** A field for a JSON object, which may be left empty. */
export function JsonObjectField({ value, noJson, error, onChange, ...field }: JsonObjectFieldProps): ReactNode {
  const [typed, setTyped] = useState<{ text: string; of: string } | null>(null);
  // What was typed stays as it was written, until the value is another one: saved by others, or discarded.
  const text = typed !== null && typed.of === keyOf(value) ? typed.text : textOf(value);
  return (
    <JsonEditor
      {...field}
      height={160}
      value={text}
      error={typeof value === 'string' ? noJson : error}
      onChange={(next) => {
        const read = objectIn(next);
        setTyped({ text: next, of: keyOf(read) });
        onChange(read);
      }}
    />
  );
}

/** @throws Error for what is no JSON object yet */
export function objectToSave(value: DraftObject, noJson: string): Record<string, unknown> | null {
  if (typeof value === 'string') throw new Error(noJson);
  return value;
}

const objectIn = (text: string): DraftObject => (text.trim() === '' ? null : (jsonObject(text) ?? text));

function textOf(value: DraftObject): string {
  if (value === null || typeof value === 'string') return value ?? '';
  return JSON.stringify(value, null, 2);
}

const keyOf = (value: DraftObject): string => JSON.stringify(value);
