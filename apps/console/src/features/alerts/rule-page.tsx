import { Alert, Button, Group, Skeleton, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { type AlertRule, isMuted } from '../../api/alert-rules.js';
import { answer, answerWithEtag, api } from '../../api/client.js';
import { useProjectId, useProjectQuery } from '../../api/project-query.js';
import { useRefresh } from '../../api/use-change.js';
import { alertTexts } from '../../texts/alerts.js';
import { Editable } from '../../ui/editable.js';
import { EtagConflict } from '../../ui/etag-conflict.js';
import { errorBeside, ProblemAlert } from '../../ui/notices.js';
import { Page, Section } from '../../ui/page.js';
import { SaveBar } from '../../ui/save-bar.js';
import { useEditor } from '../../ui/use-editor.js';
import { When } from '../../ui/when.js';
import { SentAlerts } from './alert-history.js';
import { RuleActions } from './rule-actions.js';
import { newRule, ownErrors, RuleFields, type RuleValues, valuesOf } from './rule-fields.js';
import { RuleState } from './rule-state.js';

const route = getRouteApi('/p/$projectId/alerts/$ruleId');
const touched = ['alert-rules'];
const formWidth = 720;

export function NewRulePage(): ReactNode {
  const projectId = useProjectId();
  const navigate = useNavigate();
  const refresh = useRefresh(...touched);
  const [value, setValue] = useState(newRule);
  const create = useMutation({
    mutationFn: () => answer(api.POST('/api/v1/alert-rules', { body: value })),
    onSuccess: async ({ id }) => {
      await refresh();
      void navigate({ to: '/p/$projectId/alerts/$ruleId', params: { projectId, ruleId: id } });
    },
  });
  const complete = value.name.trim() !== '' && value.receivers.every((one) => one.app_id !== '' && one.address !== '');
  return (
    <Page title={alertTexts.create} breadcrumbs={breadcrumbs(projectId)}>
      <Editable scope="alerts:write">
        <Stack gap="md" maw={formWidth}>
          <RuleFields
            value={value}
            error={create.error}
            onChange={(patch) => setValue((before) => ({ ...before, ...patch }))}
          />
          <ProblemAlert error={errorBeside(create.error, ownErrors(value))} />
          <Group>
            <Button loading={create.isPending} disabled={!complete} onClick={() => create.mutate()}>
              {alertTexts.createAction}
            </Button>
          </Group>
        </Stack>
      </Editable>
    </Page>
  );
}

export function RulePage(): ReactNode {
  const { projectId, ruleId } = route.useParams();
  const { data, error, refetch } = useProjectQuery(['alert-rules', ruleId], (signal) =>
    answerWithEtag(api.GET('/api/v1/alert-rules/{id}', { params: { path: { id: ruleId } }, signal })),
  );
  const rule = data?.data;
  return (
    <Page
      title={rule?.name ?? alertTexts.title}
      mark={rule && <RuleState rule={rule} />}
      breadcrumbs={breadcrumbs(projectId)}
      actions={rule && <RuleActions rule={rule} />}
    >
      {error && !rule && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!rule && !error && <Skeleton height={420} />}
      {data && rule && (
        <Stack gap="md">
          <Silence rule={rule} />
          <SavedRule rule={rule} etag={data.etag} />
          <Section title={alertTexts.history.title} flush>
            <SentAlerts rule={rule.id} empty={alertTexts.history.empty} />
          </Section>
        </Stack>
      )}
    </Page>
  );
}

/** Why it calls nobody now. */
function Silence({ rule }: { rule: AlertRule }): ReactNode {
  if (rule.enabled && !isMuted(rule)) return null;
  return (
    <Alert variant="light" color={rule.enabled ? 'yellow' : 'gray'}>
      {rule.enabled ? (
        <>
          {alertTexts.muted} <When at={rule.muted_until} />.
        </>
      ) : (
        alertTexts.offNote
      )}
    </Alert>
  );
}

function SavedRule({ rule, etag }: { rule: AlertRule; etag: string | null }): ReactNode {
  const editor = useEditor<RuleValues>({
    saved: valuesOf(rule),
    etag,
    touched,
    announce: alertTexts.saved,
    save: ({ change }, match) =>
      answer(
        api.PATCH('/api/v1/alert-rules/{id}', {
          params: { path: { id: rule.id }, header: { 'If-Match': match } },
          body: change,
        }),
      ),
  });
  return (
    <Editable scope="alerts:write">
      <Stack gap="md" maw={formWidth}>
        <RuleFields value={editor.value} error={editor.error} onChange={editor.set} />
        <ProblemAlert error={errorBeside(editor.error, ownErrors(editor.value))} />
      </Stack>
      <SaveBar {...editor.bar} />
      <EtagConflict label={alertTexts.title} {...editor.conflict} />
    </Editable>
  );
}

const breadcrumbs = (projectId: string) => [
  { label: alertTexts.title, to: { to: '/p/$projectId/alerts' as const, params: { projectId } } },
];
