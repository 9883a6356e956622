import { Alert, Button, Grid, Group, Stack } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useScope } from '../../api/session.js';
import type { verdicts } from '../../app/search-values.js';
import { workflowTexts } from '../../texts/workflows.js';
import { ConfirmButton } from '../../ui/action-button.js';
import { Editable } from '../../ui/editable.js';
import { EtagConflict } from '../../ui/etag-conflict.js';
import { errorBeside, ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { SaveBar } from '../../ui/save-bar.js';
import { useEditor } from '../../ui/use-editor.js';
import { DryRun } from './dry-run.js';
import { touched } from './queries.js';
import { TriggerForm } from './trigger-form.js';
import { TriggerSentence } from './trigger-sentence.js';
import {
  emptyTrigger,
  triggerFields,
  type TriggerValues,
  useDryRun,
  useTriggerChanges,
  valuesOf,
} from './use-trigger.js';

type Verdict = (typeof verdicts)[number];

interface TriggerEditorProps {
  workflowId: number;
  /** Null: a new one. */
  saved: Schema<'WarnedTriggerView'> | null;
  etag: string | null;
  /** What a new one begins with. */
  proposed?: Partial<TriggerValues>;
  show: Verdict | undefined;
  onShow: (show: Verdict | undefined) => void;
}

const texts = workflowTexts.trigger;

/** The rules of a trigger, and beside them what they would have done. */
export function TriggerEditor({ workflowId, saved, etag, proposed, show, onShow }: TriggerEditorProps): ReactNode {
  const may = useScope('workflows:write');
  const id = saved?.id ?? '';
  const editor = useEditor({
    saved: saved ? valuesOf(saved) : { ...emptyTrigger, ...proposed },
    etag,
    touched,
    announce: texts.saved,
    save: ({ change: { app_id: _app, ...body } }, match) =>
      answer(api.PATCH('/api/v1/triggers/{id}', { params: { path: { id }, header: { 'If-Match': match } }, body })),
  });
  const { value } = editor;
  const tried = useDryRun(value);
  const { create, remove } = useTriggerChanges(workflowId, id);
  const error = create.error ?? editor.error;
  const knownTypes = [...new Set(tried.result.data?.verdicts.map(({ event_type }) => event_type))];
  return (
    <Editable scope="workflows:write">
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Stack gap="md">
            <TriggerForm
              value={value}
              onChange={editor.set}
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
            <ProblemAlert error={errorBeside(error, triggerFields) ?? remove.error} />
            {saved === null ? (
              <Group>
                <Button loading={create.isPending} disabled={value.app_id === ''} onClick={() => create.mutate(value)}>
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
            {value.app_id !== '' && (
              <Section title={texts.reads}>
                <TriggerSentence trigger={value} />
              </Section>
            )}
            <DryRun tried={tried} hasApp={value.app_id !== ''} show={show} onShow={onShow} />
          </Stack>
        </Grid.Col>
      </Grid>
      <SaveBar {...editor.bar} changed={saved !== null && editor.changed} />
      <EtagConflict label={texts.title} {...editor.conflict} />
    </Editable>
  );
}
