import { NumberInput, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schema } from '../../api/client.js';
import { agentTexts } from '../../texts/agents.js';
import { About, AboutField } from '../../ui/about.js';
import { NameField } from '../../ui/name-field.js';
import { fieldError } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';

/** The editable fields of an agent. */
type AgentValues = Pick<
  Schema<'AgentView'>,
  | 'name'
  | 'instructions'
  | 'model'
  | 'fallback_model'
  | 'tools'
  | 'skills'
  | 'python_tools'
  | 'agents'
  | 'may_do'
  | 'approvers'
  | 'approvers_decide_own'
  | 'allowed_hosts'
  | 'caps'
>;

export const agentFields = ['name', 'instructions', 'model', 'fallback_model', 'allowed_hosts', 'approvers'];

export function valuesOf(agent: Schema<'AgentView'>): AgentValues {
  const { name, instructions, model, fallback_model, tools, skills, python_tools } = agent;
  const { agents, may_do, approvers, approvers_decide_own, allowed_hosts, caps } = agent;
  const has = { tools, skills, python_tools, agents, may_do, approvers, approvers_decide_own, allowed_hosts, caps };
  return { name, instructions, model, fallback_model, ...has };
}

export interface PartProps {
  value: AgentValues;
  onChange: (patch: Partial<AgentValues>) => void;
  error: unknown;
}

const texts = agentTexts.fields;

export function AgentInstructions({ value, onChange, error }: PartProps): ReactNode {
  return (
    <Stack gap="md" maw={820}>
      <NameField value={value.name} error={error} onChange={(name) => onChange({ name })} />
      <AboutField topic="agentInstructions" label={texts.instructions}>
        <Textarea
          label={texts.instructions}
          description={texts.instructionsHint}
          autosize
          minRows={8}
          maxRows={30}
          value={value.instructions}
          error={fieldError(error, 'instructions')}
          onChange={(event) => onChange({ instructions: event.currentTarget.value })}
        />
      </AboutField>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label={texts.model}
          description={texts.modelHint}
          placeholder={agentTexts.defaultModel}
          value={value.model ?? ''}
          error={fieldError(error, 'model')}
          onChange={(event) => onChange({ model: event.currentTarget.value || null })}
        />
        <TextInput
          label={texts.fallback}
          description={texts.fallbackHint}
          value={value.fallback_model ?? ''}
          error={fieldError(error, 'fallback_model')}
          onChange={(event) => onChange({ fallback_model: event.currentTarget.value || null })}
        />
      </SimpleGrid>
    </Stack>
  );
}

type Cap = keyof Schema<'AgentCapsBody'>;

const budgetTexts = agentTexts.budget;
const millionths = 1_000_000;
const second = 1_000;

const groups: readonly { label: string; caps: readonly Cap[] }[] = [
  { label: budgetTexts.turn, caps: ['steps', 'tool_calls', 'wall_clock_ms', 'run_tokens', 'run_cost_micros'] },
  { label: budgetTexts.day, caps: ['day_tokens', 'day_cost_micros'] },
  { label: budgetTexts.contactDay, caps: ['contact_day_tokens', 'contact_day_cost_micros'] },
  { label: budgetTexts.month, caps: ['month_tokens', 'month_cost_micros'] },
  { label: budgetTexts.contactMonth, caps: ['contact_month_tokens', 'contact_month_cost_micros'] },
];

/** How many units of the API are one unit of the field. */
const unitOf = (cap: Cap): number => (cap.endsWith('_micros') ? millionths : cap.endsWith('_ms') ? second : 1);

export function AgentBudget({ value: { caps }, onChange }: PartProps): ReactNode {
  const change = (cap: Cap, given: number | string): void => {
    const { [cap]: _before, ...others } = caps;
    onChange({ caps: given === '' ? others : { ...others, [cap]: Math.round(Number(given) * unitOf(cap)) } });
  };
  return (
    <Stack gap="md" maw={820}>
      <Text c="dimmed">
        {budgetTexts.hint} <About topic="agentBudgets" label={agentTexts.tabs.budget} />
      </Text>
      {groups.map(({ label, caps: names }) => (
        <Section key={label} title={label}>
          <SimpleGrid cols={{ base: 1, xs: 2, sm: 3 }}>
            {names.map((cap) => (
              <NumberInput
                key={cap}
                label={budgetTexts.caps[cap]}
                description={cap.endsWith('_micros') ? budgetTexts.costHint : undefined}
                min={unitOf(cap) === millionths ? 0 : 1}
                allowDecimal={unitOf(cap) === millionths}
                hideControls
                thousandSeparator=" "
                value={caps[cap] === undefined ? '' : caps[cap] / unitOf(cap)}
                onChange={(given) => change(cap, given)}
              />
            ))}
          </SimpleGrid>
        </Section>
      ))}
    </Stack>
  );
}
