import { MultiSelect, NumberInput, SegmentedControl, Select, SimpleGrid, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AlertRule } from '../../api/alert-rules.js';
import type { Schema } from '../../api/client.js';
import { alertTexts, attentionCodes, codeWord, measures } from '../../texts/alerts.js';
import { AboutField } from '../../ui/about.js';
import { NameField } from '../../ui/name-field.js';
import { fieldError } from '../../ui/notices.js';
import { QuietFields } from './quiet-fields.js';
import { ReceiverFields } from './receiver-fields.js';

const texts = alertTexts.fields;
type Rate = Schema<'RateBoundDto'>;

export type RuleValues = Pick<AlertRule, 'name' | 'codes' | 'rate' | 'quiet' | 'after_minutes' | 'still_minutes'> & {
  receivers: Schema<'GivenReceiver'>[];
};

export const newRule = (): RuleValues => ({
  name: '',
  codes: [],
  rate: null,
  receivers: [{ app_id: '', address: '' }],
  quiet: null,
  after_minutes: 1,
  still_minutes: 240,
});

/** The editable part of a rule. */
export function valuesOf(rule: AlertRule): RuleValues {
  const { name, codes, rate, quiet, after_minutes, still_minutes } = rule;
  const receivers = rule.receivers.map(({ app_id, address }) => ({ app_id, address }));
  return { name, codes, rate, receivers, quiet, after_minutes, still_minutes };
}

const plainFields = [
  'name',
  'codes',
  'rate.over_percent',
  'rate.minutes',
  'rate.at_least',
  'receivers',
  'quiet.from',
  'quiet.to',
  'quiet.time_zone',
  'after_minutes',
  'still_minutes',
];

/** The fields that show their own error. */
export const ownErrors = ({ receivers }: RuleValues): string[] => [
  ...plainFields,
  ...receivers.flatMap((_, index) => [`receivers.${index}.app_id`, `receivers.${index}.address`]),
];

export interface RuleFieldsProps {
  value: RuleValues;
  error: unknown;
  onChange: (patch: Partial<RuleValues>) => void;
}

const firstRate: Rate = { measure: 'failed', over_percent: 10, minutes: 10, at_least: 10 };
const measureNames = ['failed', 'refused', 'waiting'] as const;

export function RuleFields({ value, error, onChange }: RuleFieldsProps): ReactNode {
  return (
    <Stack gap="md">
      <NameField value={value.name} error={error} onChange={(name) => onChange({ name })} />
      <SegmentedControl
        aria-label={texts.about}
        data={[
          { value: 'codes', label: texts.abouts.codes },
          { value: 'rate', label: texts.abouts.rate },
        ]}
        value={value.rate === null ? 'codes' : 'rate'}
        onChange={(next) => onChange(next === 'rate' ? { codes: null, rate: firstRate } : { codes: [], rate: null })}
      />
      {value.rate === null ? (
        <AboutField topic="alertRules" label={texts.codes}>
          <MultiSelect
            label={texts.codes}
            description={texts.codesHint}
            searchable
            clearable
            data={codeChoices(value.codes ?? [])}
            value={value.codes ?? []}
            error={fieldError(error, 'codes')}
            onChange={(codes) => onChange({ codes })}
          />
        </AboutField>
      ) : (
        <RateFields rate={value.rate} error={error} onChange={(rate) => onChange({ rate })} />
      )}
      <ReceiverFields value={value} error={error} onChange={onChange} />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <NumberInput
          label={texts.after}
          description={texts.afterHint}
          min={0}
          max={1_440}
          value={value.after_minutes}
          error={fieldError(error, 'after_minutes')}
          onChange={(next) => onChange({ after_minutes: Number(next) })}
        />
        <NumberInput
          label={texts.still}
          description={texts.stillHint}
          min={5}
          max={10_080}
          value={value.still_minutes}
          error={fieldError(error, 'still_minutes')}
          onChange={(next) => onChange({ still_minutes: Number(next) })}
        />
      </SimpleGrid>
      <QuietFields value={value} error={error} onChange={onChange} />
    </Stack>
  );
}

/** All that are known, by what they are about, and those of the rule. */
function codeChoices(chosen: string[]) {
  const groups = Object.entries(attentionCodes).map(([group, codes]) => ({
    group,
    items: Object.entries(codes).map(([value, label]) => ({ value, label })),
  }));
  const unknown = chosen.filter((code) => codeWord(code) === code);
  return unknown.length === 0 ? groups : [...groups, { group: texts.otherCodes, items: unknown }];
}

interface RateFieldsProps {
  rate: Rate;
  error: unknown;
  onChange: (rate: Rate) => void;
}

function RateFields({ rate, error, onChange }: RateFieldsProps): ReactNode {
  const number = (name: 'over_percent' | 'minutes' | 'at_least', label: string, [min, max]: [number, number]) => (
    <NumberInput
      label={label}
      min={min}
      max={max}
      value={rate[name]}
      error={fieldError(error, `rate.${name}`)}
      onChange={(next) => onChange({ ...rate, [name]: Number(next) })}
    />
  );
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} style={{ alignItems: 'end' }}>
      <AboutField topic="alertRules" label={texts.measure}>
        <Select
          label={texts.measure}
          data={measureNames.map((value) => ({ value, label: measures[value] }))}
          allowDeselect={false}
          value={rate.measure}
          onChange={(next) => onChange({ ...rate, measure: measureNames.find((one) => one === next) ?? rate.measure })}
        />
      </AboutField>
      {number('over_percent', texts.percent, [0, 99])}
      {number('minutes', texts.minutes, [1, 120])}
      {number('at_least', texts.least, [1, 10_000])}
    </SimpleGrid>
  );
}
