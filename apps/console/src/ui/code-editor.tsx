import { Input, Skeleton } from '@mantine/core';
import { lazy, type ReactNode, Suspense } from 'react';
import type { CodeEditorProps } from './code-mirror.js';

const CodeMirror = lazy(() => import('./code-mirror.js'));

/** An editor for Python, JSON or text, loaded when it is first shown. */
export function CodeEditor(props: CodeEditorProps): ReactNode {
  return (
    <Suspense fallback={<Skeleton height={props.height ?? 240} />}>
      <CodeMirror {...props} />
    </Suspense>
  );
}

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
