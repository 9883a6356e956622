import { Input } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import type { Schema } from '../../api/named-schema.js';
import { workflowTexts } from '../../texts/workflows.js';
import { CodeEditor } from '../../ui/code-editor.js';

export type FilterProblem = Schema<'FilterProblemView'>;

interface FilterFieldProps {
  value: string;
  onChange: (value: string) => void;
  problem: FilterProblem | null;
  readOnly: boolean;
}

const texts = workflowTexts.trigger;

/** The expression of a trigger, with what is wrong where it is. */
export function FilterField({ value, onChange, problem, readOnly }: FilterFieldProps): ReactNode {
  const problems = useMemo(
    () => (problem ? [{ line: 1, span: [problem.start, problem.end] as const, message: problem.message }] : []),
    [problem],
  );
  return (
    <Input.Wrapper label={texts.where} description={texts.whereHint} labelElement="div" error={problem?.message}>
      <div style={{ marginTop: 6 }}>
        <CodeEditor
          label={texts.where}
          language="cel"
          value={value}
          onChange={onChange}
          problems={problems}
          readOnly={readOnly}
          height={88}
        />
      </div>
    </Input.Wrapper>
  );
}
