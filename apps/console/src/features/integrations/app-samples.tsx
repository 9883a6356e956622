import { Alert, Button, Checkbox, Group, Input, SegmentedControl, Select, Skeleton, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { CircleCheck, Send, TriangleAlert } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { projectKey, useProjectId, useProjectQuery } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { checkTexts } from '../../texts/app-checks.js';
import { integrationTexts } from '../../texts/integrations.js';
import { CodeBlock } from '../../ui/code-block.js';
import { JsonEditor } from '../../ui/code-editor.js';
import { LinkAnchor } from '../../ui/links.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import type { App } from './use-app.js';

const texts = checkTexts.samples;
type Kind = Schema<'SampleView'>['kind'];

/** Sends to the App what its provider would send. */
export default function AppSamples({ app }: { app: App }): ReactNode {
  const receives = app.capabilities.includes('receive');
  const { data, error, refetch } = useProjectQuery(
    ['apps', app.id, 'samples'],
    (signal) => answer(api.GET('/api/v1/apps/{id}/samples', { params: { path: { id: app.id } }, signal })),
    { enabled: receives },
  );
  return (
    <Section title={integrationTexts.app.tabs.samples}>
      {!receives && <Text c="dimmed">{texts.outboundOnly}</Text>}
      {error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {receives && !data && !error && <Skeleton height={320} />}
      {data && <SampleForm app={app} available={data} />}
    </Section>
  );
}

function SampleForm({ app, available }: { app: App; available: Schema<'AvailableSamplesView'> }): ReactNode {
  const may = useScope('apps:write');
  const queryClient = useQueryClient();
  const projectId = useProjectId();
  const first = available.data[0];
  const [chosen, setChosen] = useState<string | null>(first?.event_type ?? null);
  const [body, setBody] = useState(pretty(first?.body ?? '{}'));
  const [kind, setKind] = useState<Kind>('signed');
  const [only, setOnly] = useState(false);
  const send = useMutation({
    mutationFn: () =>
      answer(
        api.POST('/api/v1/apps/{id}/samples', {
          params: { path: { id: app.id } },
          body: { kind, body, verification_only: only },
        }),
      ),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: projectKey(projectId, ['events']) }),
  });
  const description = available.data.find(({ event_type }) => event_type === chosen)?.description;
  return (
    <Stack gap="md">
      <Text c="dimmed">{texts.intro}</Text>
      {available.data.length > 1 && (
        <Select
          label={texts.from}
          description={description}
          data={available.data.map(({ event_type }) => event_type)}
          value={chosen}
          allowDeselect={false}
          maw={360}
          onChange={(type) => {
            setChosen(type);
            setBody(pretty(available.data.find(({ event_type }) => event_type === type)?.body ?? body));
          }}
        />
      )}
      <JsonEditor label={texts.body} value={body} onChange={setBody} height={180} />
      {available.kinds.length > 1 && (
        <div style={{ overflowX: 'auto' }}>
          <Text size="sm" fw={500} mb={4} id="sample-kind">
            {texts.kind}
          </Text>
          <SegmentedControl
            aria-labelledby="sample-kind"
            data={available.kinds.map((value) => ({ value, label: texts.kinds[value] }))}
            value={kind}
            onChange={setKind}
          />
        </div>
      )}
      {available.cannot_sign && <Text size="sm">{available.cannot_sign}</Text>}
      <Group>
        <Button
          leftSection={<Send size={14} aria-hidden />}
          loading={send.isPending}
          disabled={!may}
          onClick={() => send.mutate()}
        >
          {texts.send}
        </Button>
        <Checkbox label={texts.only} checked={only} onChange={(event) => setOnly(event.currentTarget.checked)} />
        {!may && <Text size="sm">{integrationTexts.cannotChange}</Text>}
      </Group>
      <ProblemAlert error={send.error} />
      {send.data && <SampleResult sample={send.data} />}
    </Stack>
  );
}

/** JSON on several lines; anything else as it is. */
function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

const firstError = 400;

/** The request and the answer, unchanged. */
function SampleResult({ sample }: { sample: Schema<'SampleView'> }): ReactNode {
  const projectId = useProjectId();
  const { sent, answer, error, took_ms, event_id, duplicate } = sample;
  const taken = answer !== null && answer.status < firstError;
  return (
    <Stack gap="sm">
      <Alert
        variant="light"
        color={taken ? 'teal' : 'yellow'}
        icon={taken ? <CircleCheck size={18} aria-hidden /> : <TriangleAlert size={18} aria-hidden />}
        title={answer ? texts.answered(answer.status, took_ms) : texts.noAnswer}
        role="status"
      >
        {error && <Text size="sm">{error.detail}</Text>}
        {duplicate && <Text size="sm">{texts.duplicate}</Text>}
        {event_id && (
          <LinkAnchor
            to={{ to: '/p/$projectId/events/$eventId', params: { projectId, eventId: event_id } }}
            c="inherit"
            underline="always"
          >
            {texts.openEvent}
          </LinkAnchor>
        )}
      </Alert>
      <Input.Wrapper label={texts.sent} labelElement="div">
        <CodeBlock code={asText(`${sent.method} ${sent.url}`, sent.headers, sent.body)} label={texts.sent} wrap />
      </Input.Wrapper>
      {answer && (
        <Input.Wrapper label={texts.answer} labelElement="div">
          <CodeBlock code={asText(`HTTP ${answer.status}`, answer.headers, answer.body)} label={texts.answer} wrap />
        </Input.Wrapper>
      )}
    </Stack>
  );
}

const asText = (first: string, headers: Record<string, string>, body: string): string =>
  [first, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), '', body].join('\n');
