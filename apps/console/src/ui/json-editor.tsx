import { Input } from '@mantine/core';
import type { ReactNode } from 'react';
import { CodeEditor } from './code-editor.js';

interface JsonEditorProps {
  label: string;
  description?: string;
  /** As text: it need not be valid JSON while it is typed. */
  value: string;
  onChange: (value: string) => void;
  error?: string;
  height?: number;
}

/** A field for JSON that marks errors at their place. */
export function JsonEditor({ label, description, error, ...editor }: JsonEditorProps): ReactNode {
  return (
    <Input.Wrapper label={label} description={description} error={error} labelElement="div">
      <CodeEditor {...editor} label={label} language="json" />
    </Input.Wrapper>
  );
}
