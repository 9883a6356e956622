import { Alert, List, Stack } from '@mantine/core';
import { CircleAlert } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { ApiProblem } from '../../api/problem.js';
import { toolTexts } from '../../texts/tools.js';
import { CodeEditor } from '../../ui/code-editor.js';
import { ProblemAlert } from '../../ui/notices.js';

interface SourceEditorProps {
  source: string;
  onChange: (source: string) => void;
  /** The error of saving. */
  error: unknown;
  readOnly?: boolean;
}

const texts = toolTexts.python;

/** A Python editor with the compiler's errors at their lines and below. */
export function SourceEditor({ source, onChange, error, readOnly }: SourceEditorProps): ReactNode {
  const errors = useMemo(() => compileErrors(error), [error]);
  return (
    <Stack gap="sm">
      <CodeEditor
        label={texts.title}
        language="python"
        value={source}
        onChange={onChange}
        problems={errors}
        readOnly={readOnly}
        height={360}
      />
      {errors.length > 0 ? (
        <Alert
          color="red"
          variant="light"
          role="alert"
          icon={<CircleAlert size={18} aria-hidden />}
          title={texts.errors(errors.length)}
        >
          <List size="sm">
            {errors.map(({ line, message }) => (
              <List.Item key={`${line} ${message}`}>
                <strong>{texts.line(line)}</strong> {message}
              </List.Item>
            ))}
          </List>
        </Alert>
      ) : (
        <ProblemAlert error={error} />
      )}
    </Stack>
  );
}

interface CompileError {
  line: number;
  message: string;
}

/** The compiler's errors by line. The API names their place `source:<line>:<column>`. */
function compileErrors(error: unknown): CompileError[] {
  if (!(error instanceof ApiProblem)) return [];
  return error.errors.flatMap(({ field, message }) => {
    const [, line] = /^source:(\d+)/.exec(field) ?? [];
    return line ? [{ line: Number(line), message }] : [];
  });
}
