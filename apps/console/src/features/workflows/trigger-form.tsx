import { Input, NumberInput, Select, SimpleGrid, Stack, Switch, TagsInput } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import { useApps } from '../../api/choices.js';
import type { Schema } from '../../api/client.js';
import { workflowTexts } from '../../texts/workflows.js';
import { AboutField } from '../../ui/about.js';
import { CodeEditor } from '../../ui/code-editor.js';
import { fieldError } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import type { TriggerValues } from './use-trigger.js';

type FilterProblem = Schema<'FilterProblemView'>;

interface TriggerFormProps {
  value: TriggerValues;
  onChange: (patch: Partial<TriggerValues>) => void;
  /** The error of saving. */
  error: unknown;
  /** The dry run's problem with the filter as it is typed. */
  filterProblem: FilterProblem | null;
  /** Event types received from the App so far. */
  knownTypes: string[];
  isNew: boolean;
  readOnly: boolean;
}

const texts = workflowTexts.trigger;

export function TriggerForm(props: TriggerFormProps): ReactNode {
  const { value, onChange, error, filterProblem, knownTypes, isNew, readOnly } = props;
  const { data: apps = [] } = useApps();
  const limit = (
    name: 'limit_per_minute' | 'contact_limit_per_hour' | 'debounce_seconds' | 'debounce_max_seconds',
  ) => ({
    min: 1,
    allowDecimal: false,
    hideControls: true,
    value: value[name] ?? '',
    error: fieldError(error, name),
    onChange: (next: number | string) => onChange({ [name]: next === '' ? null : Number(next) }),
  });
  return (
    <Stack gap="md">
      <Section title={texts.rules}>
        <Stack gap="md">
          <Select
            label={texts.app}
            description={texts.appHint}
            required
            disabled={!isNew}
            data={apps.filter(({ state }) => state !== 'retired').map(({ id, name }) => ({ value: id, label: name }))}
            value={value.app_id || null}
            error={fieldError(error, 'app_id')}
            onChange={(next) => onChange({ app_id: next ?? '' })}
          />
          <TagsInput
            label={texts.types}
            description={texts.typesHint}
            data={knownTypes}
            value={value.event_types}
            error={fieldError(error, 'event_types')}
            onChange={(next) => onChange({ event_types: next })}
          />
          <FilterField
            value={value.where}
            onChange={(where) => onChange({ where })}
            problem={filterProblem}
            readOnly={readOnly}
          />
        </Stack>
      </Section>
      <Section title={texts.limits}>
        <Stack gap="md">
          <Input.Wrapper label="" description={texts.debounceHint}>
            <SimpleGrid cols={{ base: 1, xs: 2 }} mt={6}>
              <NumberInput label={texts.debounce} max={3_600} {...limit('debounce_seconds')} />
              <NumberInput label={texts.debounceMax} max={86_400} {...limit('debounce_max_seconds')} />
            </SimpleGrid>
          </Input.Wrapper>
          <Input.Wrapper label="" description={texts.limitsHint}>
            <SimpleGrid cols={{ base: 1, xs: 2 }} mt={6}>
              <NumberInput label={texts.perMinute} max={100_000} {...limit('limit_per_minute')} />
              <NumberInput label={texts.perContact} max={100_000} {...limit('contact_limit_per_hour')} />
            </SimpleGrid>
          </Input.Wrapper>
          {!isNew && (
            <Switch
              label={texts.active}
              checked={value.active}
              onChange={(event) => onChange({ active: event.currentTarget.checked })}
            />
          )}
        </Stack>
      </Section>
    </Stack>
  );
}

interface FilterFieldProps {
  value: string;
  onChange: (value: string) => void;
  problem: FilterProblem | null;
  readOnly: boolean;
}

/** The expression of a trigger, with errors at their place. */
function FilterField({ value, onChange, problem, readOnly }: FilterFieldProps): ReactNode {
  const problems = useMemo(
    () => (problem ? [{ line: 1, span: [problem.start, problem.end] as const, message: problem.message }] : []),
    [problem],
  );
  return (
    <AboutField topic="triggerFilters" label={texts.where}>
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
    </AboutField>
  );
}
