import { Input, MultiSelect, NumberInput, SimpleGrid } from '@mantine/core';
import type { ReactNode } from 'react';
import { stepTexts } from '../../texts/workflow-steps.js';
import { CodeEditor } from '../../ui/code-editor.js';
import { errorAt, keyOf, targetsOf } from './step-drafts.js';
import type { StepFormProps } from './step-form-props.js';

const texts = stepTexts.fields;

export function BranchPart(props: StepFormProps): ReactNode {
  return (
    <>
      <Condition label={texts.where} hint={texts.whereHint} {...props} />
      <Targets {...props} />
    </>
  );
}

/** A CEL expression. */
export function Condition(
  props: { label: string; hint: string } & Pick<StepFormProps, 'step' | 'errors' | 'readOnly' | 'onChange'>,
): ReactNode {
  const { label, hint, step, errors, readOnly, onChange } = props;
  return (
    <Input.Wrapper label={label} description={hint} labelElement="div" error={errorAt(errors, 'where')}>
      <div style={{ marginTop: 6 }}>
        <CodeEditor
          label={label}
          language="cel"
          value={step.where ?? ''}
          onChange={(where) => onChange({ where })}
          readOnly={readOnly}
          height={88}
        />
      </div>
    </Input.Wrapper>
  );
}

const minutesOfMonth = 43_200;

/** How long it waits. */
export function Minutes(
  props: { label: string; hint: string } & Pick<StepFormProps, 'step' | 'errors' | 'onChange'>,
): ReactNode {
  const { label, hint, step, errors, onChange } = props;
  return (
    <NumberInput
      label={label}
      description={hint}
      min={1}
      max={minutesOfMonth}
      allowDecimal={false}
      hideControls
      value={step.wait_minutes ?? ''}
      error={errorAt(errors, 'wait_minutes')}
      onChange={(next) => onChange({ wait_minutes: next === '' ? undefined : Number(next) })}
    />
  );
}

/** Which later steps depend on the answer of this one. */
export function Targets({ steps, index, onTargets }: StepFormProps): ReactNode {
  const later = steps.slice(index + 1).map((step) => ({ value: keyOf(step), label: step.name || stepTexts.noName }));
  return (
    <Input.Wrapper label="" description={texts.targetsHint}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} mt={6}>
        {[true, false].map((is) => (
          <MultiSelect
            key={String(is)}
            label={is ? texts.ifYes : texts.ifNo}
            searchable
            data={later}
            value={targetsOf(steps, index, is).map(keyOf)}
            onChange={(chosen) => onTargets(is, chosen)}
          />
        ))}
      </SimpleGrid>
    </Input.Wrapper>
  );
}
