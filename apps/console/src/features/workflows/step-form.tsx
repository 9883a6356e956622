import { Autocomplete, MultiSelect, Select, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAgents } from '../../api/choices.js';
import { answer, api } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { stepTexts } from '../../texts/workflow-steps.js';
import { AboutField } from '../../ui/about.js';
import { useApprovers } from '../../ui/use-approvers.js';
import { JsonObjectField } from './json-object-field.js';
import { BranchPart, Minutes, Targets } from './step-answers.js';
import { decides, errorAt, type StepDraft, type StepKind } from './step-drafts.js';
import type { StepFormProps } from './step-form-props.js';
import { WaitPart } from './wait-part.js';

const texts = stepTexts.fields;

const partOf: Readonly<Record<StepKind, (props: StepFormProps) => ReactNode>> = {
  agent: AgentPart,
  tool: ToolPart,
  approval: ApprovalPart,
  branch: BranchPart,
  wait: WaitPart,
};

/** The fields of a step, by its kind. */
export function StepForm(props: StepFormProps): ReactNode {
  const { steps, index, step, errors, onChange } = props;
  const Part = partOf[step.kind];
  return (
    <Stack gap="md" maw={640} pb={6}>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label={texts.name}
          description={texts.nameHint}
          maxLength={40}
          value={step.name}
          error={errorAt(errors, 'name')}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
        />
        <When step={step} earlier={steps.slice(0, index)} errors={errors} onChange={onChange} />
      </SimpleGrid>
      <Part {...props} />
    </Stack>
  );
}

const always = '';

function When(props: { earlier: StepDraft[] } & Pick<StepFormProps, 'step' | 'errors' | 'onChange'>): ReactNode {
  const { step, earlier, errors, onChange } = props;
  const { only_if: on } = step;
  const known = earlier.filter(decides).flatMap(({ name }) => [true, false].map((is) => ({ step: name, is })));
  // Also one that has moved below, or is gone: the API says so.
  const all = on && !known.some((one) => one.step === on.step && one.is === on.is) ? [...known, on] : known;
  const valueOf = (one: { step: string; is: boolean }): string => `${one.is} ${one.step}`;
  const choices = new Map(all.map((one) => [valueOf(one), one]));
  return (
    <AboutField topic="steps" label={texts.when}>
      <Select
        label={texts.when}
        description={texts.whenHint}
        allowDeselect={false}
        data={[
          { value: always, label: texts.always },
          ...[...choices].map(([value, one]) => ({ value, label: texts.ifSays(one.step, one.is) })),
        ]}
        value={on ? valueOf(on) : always}
        error={errorAt(errors, 'only_if')}
        onChange={(next) => onChange({ only_if: choices.get(next ?? always) })}
      />
    </AboutField>
  );
}

function AgentPart({ step, errors, onChange }: StepFormProps): ReactNode {
  return (
    <>
      <StepAgent hint={texts.agentHint} step={step} errors={errors} onChange={onChange} />
      <Textarea
        label={texts.instructions}
        description={texts.instructionsHint}
        autosize
        minRows={3}
        maxRows={24}
        maxLength={20_000}
        value={step.instructions ?? ''}
        error={errorAt(errors, 'instructions')}
        onChange={(event) => onChange({ instructions: event.currentTarget.value })}
      />
    </>
  );
}

function StepAgent(props: { hint: string } & Pick<StepFormProps, 'step' | 'errors' | 'onChange'>): ReactNode {
  const { hint, step, errors, onChange } = props;
  const { data: agents = [] } = useAgents();
  return (
    <Select
      label={texts.agent}
      description={hint}
      placeholder={texts.workflowAgent}
      searchable
      clearable
      data={agents.map(({ id, name }) => ({ value: id, label: name }))}
      value={step.agent_id ?? null}
      error={errorAt(errors, 'agent_id')}
      onChange={(next) => onChange({ agent_id: next ?? undefined })}
    />
  );
}

function ToolPart({ step, workflowAgent, errors, onChange }: StepFormProps): ReactNode {
  const tools = useToolNames(step.agent_id ?? workflowAgent);
  return (
    <>
      <StepAgent hint={texts.toolAgentHint} step={step} errors={errors} onChange={onChange} />
      <Autocomplete
        label={texts.tool}
        description={texts.toolHint}
        data={tools}
        maxLength={200}
        value={step.tool ?? ''}
        error={errorAt(errors, 'tool')}
        onChange={(tool) => onChange({ tool })}
      />
      <JsonObjectField
        label={texts.arguments}
        description={texts.argumentsHint}
        value={step.arguments ?? null}
        noJson={texts.noJson}
        error={errorAt(errors, 'arguments')}
        onChange={(args) => onChange({ arguments: args ?? undefined })}
      />
    </>
  );
}

/** The tools that an agent has, by the names under which it has them. @param agentId null: the Chief of Staff */
function useToolNames(agentId: string | null): string[] {
  const { data: agents = [] } = useAgents();
  const id = agentId ?? agents.find(({ is_chief_of_staff }) => is_chief_of_staff)?.id;
  const { data } = useProjectQuery(
    ['agents', id, 'toolset', 'admitted'],
    (signal) => {
      const params = { path: { id: id ?? '' }, query: { sender: 'admitted' as const } };
      return answer(api.GET('/api/v1/agents/{id}/toolset', { params, signal }));
    },
    { enabled: id !== undefined },
  );
  return [...new Set([...(data?.offered ?? []), ...(data?.by_search ?? [])].map(({ name }) => name))].sort();
}

function ApprovalPart(props: StepFormProps): ReactNode {
  const { step, errors, onChange } = props;
  const chosen = step.approvers ?? [];
  const approvers = useApprovers(chosen);
  return (
    <>
      <Textarea
        label={texts.question}
        description={texts.questionHint}
        autosize
        minRows={2}
        maxRows={12}
        maxLength={2_000}
        value={step.text ?? ''}
        error={errorAt(errors, 'text')}
        onChange={(event) => onChange({ text: event.currentTarget.value })}
      />
      <MultiSelect
        label={texts.approvers}
        description={texts.approversHint}
        searchable
        maxValues={20}
        data={approvers}
        value={chosen}
        error={errorAt(errors, 'approvers')}
        onChange={(next) => onChange({ approvers: next.length > 0 ? next : undefined })}
      />
      <Minutes label={texts.wait} hint={texts.waitHint} {...props} />
      <Targets {...props} />
    </>
  );
}
