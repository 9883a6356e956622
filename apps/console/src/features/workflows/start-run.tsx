import { Skeleton, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useProjectId, useProjectQuery } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { useRefresh } from '../../api/use-change.js';
import { workflowTexts } from '../../texts/workflows.js';
import { FormModal } from '../../ui/dialog.js';
import { jsonObject } from '../../ui/json-object.js';
import { SchemaFields } from '../../ui/schema-fields.js';
import { When } from '../../ui/when.js';
import { touched } from './queries.js';

type Run = Schema<'RunView'>;
type Input = Schema<'NewRun'>;

const texts = workflowTexts.start;

interface StartRunProps {
  workflowId: number;
  onClose: () => void;
}

/** Starts a run by hand. Its form is made from what the last run worked on, for whoever may read messages. */
export function StartRun({ workflowId, onClose }: StartRunProps): ReactNode {
  const projectId = useProjectId();
  const navigate = useNavigate();
  const refresh = useRefresh(...touched);
  const now = useLastInput(workflowId);
  // As it was when the form opened: a newer run does not change what somebody has before them.
  const [first, setFirst] = useState<LastInput | null>(null);
  if (first === null && !now.reading) setFirst(now);
  const last = first ?? now;
  const [typed, setTyped] = useState<Input>({});
  const before = last.input;
  const { event_type, ...rest } = { ...before, ...typed };
  const input: Input = event_type ? { ...rest, event_type } : rest;
  const start = useMutation({
    mutationFn: () =>
      answer(api.POST('/api/v1/workflows/{id}/runs', { params: { path: { id: workflowId } }, body: input })),
    onSuccess: ({ id }) => {
      void refresh();
      void navigate({ to: '/p/$projectId/runs/$runId', params: { projectId, runId: id } });
    },
  });
  const change = (patch: Input): void => setTyped((values) => ({ ...values, ...patch }));
  const asked = jsonObject(before?.message ?? '');
  return (
    <FormModal
      opened
      title={texts.title}
      submit={texts.go}
      saving={start.isPending}
      error={start.error}
      ready={!last.reading}
      onSubmit={() => start.mutate()}
      onClose={onClose}
    >
      {last.reading && <Skeleton height={120} />}
      {!last.reading && last.run && before && (
        <Text size="sm" c="dimmed">
          {texts.asLast} <When at={last.run.created_at} />
          {before.text_from === 'people' && `. ${texts.ofPeople}`}
        </Text>
      )}
      {!last.reading && asked && (
        <Values label={texts.message}>
          <SchemaFields
            schema={schemaOf(asked)}
            value={jsonObject(input.message ?? '') ?? {}}
            onChange={(next) => change({ message: JSON.stringify(next) })}
          />
        </Values>
      )}
      {!last.reading && !asked && (
        <Textarea
          label={texts.message}
          description={texts.hint}
          autosize
          minRows={3}
          maxRows={14}
          data-autofocus
          value={input.message ?? ''}
          onChange={(event) => change({ message: event.currentTarget.value })}
        />
      )}
      {before?.event_type && (
        <TextInput
          label={texts.type}
          value={input.event_type ?? ''}
          onChange={(event) => change({ event_type: event.currentTarget.value })}
        />
      )}
      {before?.metadata && (
        <Values label={texts.metadata}>
          <SchemaFields
            schema={schemaOf(before.metadata)}
            value={input.metadata ?? {}}
            onChange={(metadata) => change({ metadata })}
          />
        </Values>
      )}
    </FormModal>
  );
}

function Values({ label, children }: { label: string; children: ReactNode }): ReactNode {
  return (
    <Stack role="group" aria-label={label} gap="xs">
      <Text fw={600}>{label}</Text>
      {children}
    </Stack>
  );
}

interface LastInput {
  run: Run | undefined;
  input: Input | undefined;
  reading: boolean;
}

/** What the newest run of a workflow worked on; nothing for whoever may not read it, or where it is no longer kept. */
function useLastInput(workflowId: number): LastInput {
  const may = useScope('events:read');
  const runs = useProjectQuery(
    ['runs', workflowId, 'last'],
    async (signal) => {
      const query = { workflow_id: workflowId, limit: 1 };
      return (await answer(api.GET('/api/v1/runs', { params: { query }, signal }))).data;
    },
    { enabled: may },
  );
  const run = runs.data?.[0];
  const event = useProjectQuery(
    ['event', run?.receipt_id],
    (signal) => answer(api.GET('/api/v1/events/{id}', { params: { path: { id: run?.receipt_id ?? '' } }, signal })),
    { enabled: run !== undefined },
  );
  const found = event.data?.messages.find(({ id }) => id === run?.message_id);
  const reading = may && (runs.isPending || (run !== undefined && event.isPending));
  if (!found) return { run, input: undefined, reading };
  const { message: text, event_type, metadata = {} } = found.message;
  const some = Object.keys(metadata).length > 0 ? { metadata } : {};
  // The words of a sender stay theirs, whoever sends them once more: what may be done on them is limited.
  const text_from = found.verified && found.text_from === 'system' ? 'system' : 'people';
  return { run, input: { message: text, event_type, text_from, ...some }, reading };
}

/** A JSON Schema that the values hold to. */
const schemaOf = (values: Record<string, unknown>): Record<string, unknown> => ({
  properties: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { type: typeof value }])),
});
