import { Alert, Button, Grid, Group, Skeleton, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { answer, answerWithEtag, api, type Schema } from '../../api/client.js';
import { useProjectId, useProjectQuery } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { useRefresh } from '../../api/use-change.js';
import { scheduleTexts } from '../../texts/schedules.js';
import { ConfirmButton } from '../../ui/action-button.js';
import { Editable } from '../../ui/editable.js';
import { EtagConflict } from '../../ui/etag-conflict.js';
import { errorBeside, ProblemAlert } from '../../ui/notices.js';
import { Page } from '../../ui/page.js';
import { SaveBar } from '../../ui/save-bar.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { useEditor } from '../../ui/use-editor.js';
import { NextTimes, useNextTimes } from './next-times.js';
import { newSchedule, ScheduleFields, scheduleFields, type ScheduleValues } from './schedule-fields.js';
import { TickList } from './tick-list.js';

type Schedule = Schema<'ScheduleView'>;
const route = getRouteApi('/p/$projectId/schedules/$scheduleId');
const touched = ['schedules'];

export function NewSchedulePage(): ReactNode {
  const projectId = useProjectId();
  const navigate = useNavigate();
  const refresh = useRefresh(...touched);
  const [value, setValue] = useState(newSchedule);
  const [toAgent, setToAgent] = useState(false);
  const times = useNextTimes(value.cron, value.time_zone);
  const create = useMutation({
    mutationFn: () => answer(api.POST('/api/v1/schedules', { body: value })),
    onSuccess: async ({ id }) => {
      await refresh();
      void navigate({ to: '/p/$projectId/schedules/$scheduleId', params: { projectId, scheduleId: id } });
    },
  });
  return (
    <Page title={scheduleTexts.create} breadcrumbs={breadcrumbs(projectId)}>
      <Editable scope="workflows:write">
        <Grid gap="md">
          <Grid.Col span={{ base: 12, md: 6 }}>
            <Stack gap="md">
              <ScheduleFields
                value={value}
                toAgent={toAgent}
                onToAgent={setToAgent}
                error={create.error ?? times.error}
                onChange={(patch) => setValue({ ...value, ...patch })}
              />
              <ProblemAlert error={errorBeside(create.error, scheduleFields)} />
              <Group>
                <Button loading={create.isPending} disabled={value.name.trim() === ''} onClick={() => create.mutate()}>
                  {scheduleTexts.createAction}
                </Button>
              </Group>
            </Stack>
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 6 }}>
            <NextTimes times={times} />
          </Grid.Col>
        </Grid>
      </Editable>
    </Page>
  );
}

export function SchedulePage(): ReactNode {
  const { projectId, scheduleId } = route.useParams();
  const { data, error, refetch } = useProjectQuery(['schedules', scheduleId], (signal) =>
    answerWithEtag(api.GET('/api/v1/schedules/{id}', { params: { path: { id: scheduleId } }, signal })),
  );
  const schedule = data?.data;
  return (
    <Page
      title={schedule?.name ?? scheduleTexts.title}
      mark={schedule && <StatusBadge status={schedule.active ? 'active' : 'off'} />}
      breadcrumbs={breadcrumbs(projectId)}
      actions={schedule && <ScheduleActions schedule={schedule} />}
    >
      {error && !schedule && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!schedule && !error && <Skeleton height={420} />}
      {schedule && !schedule.active && (
        <Alert variant="light" color="gray" mb="md">
          {scheduleTexts.offNote}
        </Alert>
      )}
      {data && schedule && <SavedSchedule schedule={schedule} etag={data.etag} />}
    </Page>
  );
}

function SavedSchedule({ schedule, etag }: { schedule: Schedule; etag: string | null }): ReactNode {
  const [toAgent, setToAgent] = useState(schedule.workflow_id === null);
  const { name, cron, time_zone, workflow_id, agent_id, message, late_after_s, overlap, catch_up } = schedule;
  const editor = useEditor<ScheduleValues>({
    saved: { name, cron, time_zone, workflow_id, agent_id, message, late_after_s, overlap, catch_up },
    etag,
    touched,
    announce: scheduleTexts.saved,
    save: ({ change }, match) =>
      answer(
        api.PATCH('/api/v1/schedules/{id}', {
          params: { path: { id: schedule.id }, header: { 'If-Match': match } },
          body: change,
        }),
      ),
  });
  const { value } = editor;
  const times = useNextTimes(value.cron, value.time_zone);
  return (
    <Editable scope="workflows:write">
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Stack gap="md">
            <ScheduleFields
              value={value}
              toAgent={toAgent}
              onToAgent={setToAgent}
              error={editor.error ?? times.error}
              onChange={editor.set}
            />
            <ProblemAlert error={errorBeside(editor.error, scheduleFields)} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <NextTimes times={times} />
        </Grid.Col>
        <Grid.Col span={12}>
          <TickList schedule={schedule} />
        </Grid.Col>
      </Grid>
      <SaveBar {...editor.bar} />
      <EtagConflict label={scheduleTexts.title} {...editor.conflict} />
    </Editable>
  );
}

function ScheduleActions({ schedule: { id, active } }: { schedule: Schedule }): ReactNode {
  const projectId = useProjectId();
  const navigate = useNavigate();
  const may = useScope('workflows:write');
  const refresh = useRefresh(...touched);
  const path = { params: { path: { id } } };
  const turn = useMutation({
    mutationFn: () => answer(api.PATCH('/api/v1/schedules/{id}', { ...path, body: { active: !active } })),
    onSettled: refresh,
  });
  const remove = useMutation({
    mutationFn: () => answer(api.DELETE('/api/v1/schedules/{id}', path)),
    onSuccess: async () => {
      await navigate({ to: '/p/$projectId/schedules', params: { projectId } });
      await refresh();
    },
  });
  if (!may) return null;
  return (
    <>
      <Button variant="default" loading={turn.isPending} onClick={() => turn.mutate()}>
        {active ? scheduleTexts.turnOff : scheduleTexts.on}
      </Button>
      <ConfirmButton
        question={scheduleTexts.removeQuestion}
        color="red"
        variant="subtle"
        loading={remove.isPending}
        onConfirm={() => remove.mutate()}
      >
        {scheduleTexts.remove}
      </ConfirmButton>
      <ProblemAlert error={turn.error ?? remove.error} />
    </>
  );
}

const breadcrumbs = (projectId: string) => [
  { label: scheduleTexts.title, to: { to: '/p/$projectId/schedules' as const, params: { projectId } } },
];
