import { Skeleton } from '@mantine/core';
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
