import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { ArrowDown, ArrowUp, ChevronDown, ChevronUp, Plus, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useScope } from '../../api/session.js';
import { stepTexts as texts } from '../../texts/workflow-steps.js';
import { uiTexts } from '../../texts/ui.js';
import { Editable } from '../../ui/editable.js';
import { EtagConflict } from '../../ui/etag-conflict.js';
import { IconAction } from '../../ui/icon-action.js';
import { errorBeside, ProblemAlert } from '../../ui/notices.js';
import { NumberedItem, NumberedList } from '../../ui/numbered-list.js';
import { Section } from '../../ui/page.js';
import { SaveBar } from '../../ui/save-bar.js';
import { useEditor } from '../../ui/use-editor.js';
import { touched } from './queries.js';
import {
  edited,
  errorsOfSteps,
  isInForm,
  keyOf,
  mostSteps,
  newStep,
  type StepDraft,
  stepKinds,
  stepsToSave,
  swapped,
  withTargets,
} from './step-drafts.js';
import { StepForm } from './step-form.js';

interface WorkflowStepsProps {
  workflow: Schema<'WorkflowView'>;
  etag: string | null;
}

/** What the runs of a workflow do, in order. */
export function WorkflowSteps({ workflow: { id, agent_id, steps: saved }, etag }: WorkflowStepsProps): ReactNode {
  const may = useScope('workflows:write');
  const [sent, setSent] = useState<string[]>([]);
  const [open, setOpen] = useState<readonly string[]>([]);
  const editor = useEditor<{ steps: StepDraft[] }>({
    saved: { steps: saved ?? [] },
    etag,
    touched,
    announce: uiTexts.saved,
    save: async ({ value }, match) => {
      setSent(value.steps.map(keyOf));
      const params = { path: { id }, header: { 'If-Match': match } };
      return answer(api.PATCH('/api/v1/workflows/{id}', { params, body: { steps: stepsToSave(value.steps) } }));
    },
  });
  const { steps } = editor.value;
  const set = (next: StepDraft[]): void => editor.set({ steps: next });
  const errors = errorsOfSteps(editor.error, sent);
  const there = steps.map(keyOf);
  const shown = sent.flatMap((key, index) => {
    const own = there.includes(key) ? (errors.get(key) ?? []) : [];
    return own.filter(isInForm).map(({ field }) => `steps.${index}.${field}`);
  });
  const toggle = (key: string): void =>
    setOpen(open.includes(key) ? open.filter((one) => one !== key) : [...open, key]);
  const add = (kind: (typeof stepKinds)[number]): void => {
    const step = newStep(steps, kind);
    set([...steps, step]);
    setOpen([...open, keyOf(step)]);
  };
  return (
    <Editable scope="workflows:write">
      <Stack gap="md">
        <Section title={texts.title} flush={steps.length > 0}>
          {steps.length === 0 ? (
            <Text c="dimmed">{texts.none}</Text>
          ) : (
            <NumberedList label={texts.title}>
              {steps.map((step, index) => {
                const key = keyOf(step);
                return (
                  <StepItem
                    key={key}
                    step={step}
                    errors={(errors.get(key) ?? []).map(({ message }) => message)}
                    isOpen={!may || open.includes(key)}
                    onToggle={() => toggle(key)}
                    onUp={index > 0 ? () => set(swapped(steps, index - 1)) : null}
                    onDown={index < steps.length - 1 ? () => set(swapped(steps, index)) : null}
                    onRemove={() => set(steps.filter((one) => one !== step))}
                  >
                    <StepForm
                      steps={steps}
                      index={index}
                      step={step}
                      workflowAgent={agent_id}
                      errors={errors.get(key) ?? []}
                      readOnly={!may}
                      onChange={(patch) => set(edited(steps, index, patch))}
                      onTargets={(is, chosen) => set(withTargets(steps, index, is, chosen))}
                    />
                  </StepItem>
                );
              })}
            </NumberedList>
          )}
        </Section>
        {steps.length < mostSteps && (
          <Group gap="xs">
            {stepKinds.map((kind) => (
              <Button
                key={kind}
                variant="default"
                leftSection={<Plus size={15} aria-hidden />}
                onClick={() => add(kind)}
              >
                {texts.add[kind]}
              </Button>
            ))}
          </Group>
        )}
        {steps.length > 0 && (
          <Text size="sm" c="dimmed">
            {texts.hint}
          </Text>
        )}
        <ProblemAlert error={errorBeside(editor.error, shown)} />
      </Stack>
      <SaveBar {...editor.bar} />
      <EtagConflict label={texts.title} {...editor.conflict} />
    </Editable>
  );
}

interface StepItemProps {
  step: StepDraft;
  /** Shown while it is closed; its fields show them while it is open. */
  errors: readonly string[];
  isOpen: boolean;
  onToggle: () => void;
  /** Null: it is the first. */
  onUp: (() => void) | null;
  /** Null: it is the last. */
  onDown: (() => void) | null;
  onRemove: () => void;
  /** Its form. */
  children: ReactNode;
}

function StepItem(props: StepItemProps): ReactNode {
  const { step, errors, isOpen, onToggle, onUp, onDown, onRemove, children } = props;
  const { kind, only_if: on } = step;
  const name = step.name || texts.noName;
  return (
    <NumberedItem
      heading={
        <>
          <Text fw={500} component="span">
            {name}
          </Text>
          <Badge variant="default" radius="sm" tt="none" fw={500} component="span">
            {texts.kinds[kind]}
          </Badge>
          {on && (
            <Text size="sm" c="dimmed" component="span">
              {texts.onlyIf(on.step, on.is)}
            </Text>
          )}
          {!isOpen && (step.where || step.tool) && (
            <Text size="sm" c="dimmed" component="code" truncate maw="100%">
              {step.where || step.tool}
            </Text>
          )}
        </>
      }
      actions={
        <>
          {onUp && <IconAction label={texts.up(name)} icon={ArrowUp} onPress={onUp} />}
          {onDown && <IconAction label={texts.down(name)} icon={ArrowDown} onPress={onDown} />}
          <IconAction label={texts.remove(name)} icon={X} onPress={onRemove} />
          <IconAction
            label={isOpen ? texts.close(name) : texts.edit(name)}
            icon={isOpen ? ChevronUp : ChevronDown}
            expanded={isOpen}
            onPress={onToggle}
          />
        </>
      }
    >
      {!isOpen &&
        errors.map((message) => (
          <Text key={message} size="sm" c="var(--mantine-color-error)" role="alert">
            {message}
          </Text>
        ))}
      {isOpen && children}
    </NumberedItem>
  );
}
