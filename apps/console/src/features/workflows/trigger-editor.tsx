import { Alert, Button, Grid, Group, Stack } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useScope } from '../../api/session.js';
import type { Schema } from '../../api/named-schema.js';
import { workflowTexts } from '../../texts/workflows.js';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { Editable } from '../../ui/editable.js';
import { isConflict } from '../../api/problem.js';
import { EtagConflict } from '../../ui/etag-conflict.js';
import { errorBeside } from '../../ui/field-errors.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { SaveBar } from '../../ui/save-bar.js';
import { Section } from '../../ui/section.js';
import { useDraft } from '../../ui/use-draft.js';
import { DryRun } from './dry-run.js';
import type { verdicts } from './search-values.js';
import { TriggerForm } from './trigger-form.js';
import { TriggerSentence } from './trigger-sentence.js';
import { emptyTrigger, triggerFields, valuesOf } from './trigger-values.js';
import { useDryRun } from './use-dry-run.js';
import { useTriggerChanges } from './use-trigger-changes.js';

type Verdict = (typeof verdicts)[number];

interface TriggerEditorProps {
  workflowId: number;
  /** Null: a new one. */
  saved: Schema<'WarnedTriggerView'> | null;
  etag: string | null;
  show: Verdict | undefined;
  onShow: (show: Verdict | undefined) => void;
}

const texts = workflowTexts.trigger;

/** The rules of a trigger, and beside them what they would have done. */
export function TriggerEditor({ workflowId, saved, etag, show, onShow }: TriggerEditorProps): ReactNode {
  const may = useScope('workflows:write');
  const draft = useDraft(saved ? valuesOf(saved) : emptyTrigger, etag);
  const tried = useDryRun(draft.value);
  const { create, save, remove } = useTriggerChanges(workflowId, saved?.id ?? '');
  const error = create.error ?? save.error;
  const beside = isConflict(error) ? null : errorBeside(error, triggerFields);
  const knownTypes = [...new Set(tried.result.data?.verdicts.map(({ event_type }) => event_type))];
  const keep = (match: string | null): void =>
    save.mutate({ change: draft.change, etag: match }, { onSuccess: draft.discard });
  return (
    <Editable scope="workflows:write">
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Stack gap="md">
            <TriggerForm
              value={draft.value}
              onChange={draft.set}
              error={error}
              filterProblem={tried.result.data?.problem ?? null}
              knownTypes={knownTypes}
              isNew={saved === null}
              readOnly={!may}
            />
            {saved?.warnings.map(({ code, message }) => (
              <Alert key={code} variant="light" color="yellow" icon={<TriangleAlert size={18} aria-hidden />}>
                {message}
              </Alert>
            ))}
            <ProblemAlert error={beside ?? remove.error} />
            {saved === null ? (
              <Group>
                <Button
                  loading={create.isPending}
                  disabled={draft.value.app_id === ''}
                  onClick={() => create.mutate(draft.value)}
                >
                  {texts.create}
                </Button>
              </Group>
            ) : (
              may && (
                <Group>
                  <ConfirmButton question={texts.removeQuestion} color="red" variant="subtle" onConfirm={remove.mutate}>
                    {texts.remove}
                  </ConfirmButton>
                </Group>
              )
            )}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Stack gap="md">
            {draft.value.app_id !== '' && (
              <Section title={texts.reads}>
                <TriggerSentence trigger={draft.value} />
              </Section>
            )}
            <DryRun tried={tried} hasApp={draft.value.app_id !== ''} show={show} onShow={onShow} />
          </Stack>
        </Grid.Col>
      </Grid>
      <SaveBar
        changed={saved !== null && draft.changed}
        saving={save.isPending}
        onSave={() => keep(draft.etag)}
        onDiscard={draft.discard}
      />
      <EtagConflict
        error={error}
        label={texts.title}
        theirs={saved ? valuesOf(saved) : undefined}
        mine={draft.value}
        onTakeTheirs={() => {
          draft.discard();
          save.reset();
        }}
        onSaveMine={() => keep(null)}
        onClose={save.reset}
      />
    </Editable>
  );
}
