import { type ReactNode, useState } from 'react';
import { workflowTexts } from '../../texts/workflows.js';
import { JsonEditor } from '../../ui/code-editor.js';
import { fieldError } from '../../ui/notices.js';

export type OutputSchema = Record<string, unknown>;

interface OutputSchemaFieldProps {
  /** A text: it is no JSON object yet. */
  value: OutputSchema | string | null;
  error: unknown;
  onChange: (value: OutputSchema | string | null) => void;
}

const texts = workflowTexts.fields;

export function OutputSchemaField({ value, error, onChange }: OutputSchemaFieldProps): ReactNode {
  const [typed, setTyped] = useState<{ text: string; of: string } | null>(null);
  // What was typed stays as it was written, until the value is another one: saved by others, or discarded.
  const text = typed !== null && typed.of === keyOf(value) ? typed.text : textOf(value);
  return (
    <JsonEditor
      label={texts.outputSchema}
      description={texts.outputSchemaHint}
      height={160}
      value={text}
      error={typeof value === 'string' ? texts.noJson : fieldError(error, 'output_schema')}
      onChange={(next) => {
        const read = schemaIn(next);
        setTyped({ text: next, of: keyOf(read) });
        onChange(read);
      }}
    />
  );
}

/** @throws Error for what is no JSON object yet */
export function schemaToSave(value: OutputSchema | string | null): OutputSchema | null {
  if (typeof value === 'string') throw new Error(texts.noJson);
  return value;
}

function schemaIn(text: string): OutputSchema | string | null {
  if (text.trim() === '') return null;
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === 'object' && read !== null && !Array.isArray(read) ? (read as OutputSchema) : text;
  } catch {
    return text;
  }
}

function textOf(value: OutputSchema | string | null): string {
  if (value === null || typeof value === 'string') return value ?? '';
  return JSON.stringify(value, null, 2);
}

const keyOf = (value: OutputSchema | string | null): string => JSON.stringify(value);
