import { Input, SegmentedControl, Select, Stack, Switch, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Send } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { answer, api, type Schema } from '../../../api/client.js';
import { useProjectQuery } from '../../../api/project-query.js';
import { useScope } from '../../../api/session.js';
import { simulatorTexts } from '../../../texts/events.js';
import { ActionButton } from '../../../ui/action-button.js';
import { CodeBlock } from '../../../ui/code-block.js';
import { JsonEditor } from '../../../ui/code-editor.js';
import { Section } from '../../../ui/page.js';
import { sampleKinds, sampleSources } from '../../../app/search-values.js';
import type { SimulatorSearch } from '../routes.js';

const texts = simulatorTexts;

interface SampleFormProps {
  app: Schema<'AppView'>;
  apps: Schema<'AppView'>[];
  search: SimulatorSearch;
  sending: boolean;
  onSend: (sample: Schema<'SendSample'>) => void;
}

export function SampleForm({ app, apps, search, sending, onSend }: SampleFormProps): ReactNode {
  const navigate = useNavigate({ from: '/p/$projectId/simulator' });
  const change = (patch: SimulatorSearch): void =>
    void navigate({ search: (before) => ({ ...before, ...patch, toggled: undefined }), replace: true });
  const maySend = useScope('apps:write');
  const [typed, setTyped] = useState('{\n  "text": "Hello from the simulator"\n}');
  const [checkOnly, setCheckOnly] = useState(false);
  const { data: available } = useProjectQuery(['apps', app.id, 'samples'], (signal) =>
    answer(api.GET('/api/v1/apps/{id}/samples', { params: { path: { id: app.id } }, signal })),
  );
  const allowed = available?.kinds ?? sampleKinds;
  const kind = allowed.find((one) => one === search.kind) ?? allowed[0] ?? 'signed';
  const { source = 'sample', event } = search;
  const sample = available?.data.find(({ event_type }) => event_type === search.sample) ?? available?.data[0];
  const what = { sample: { event_type: sample?.event_type }, event: { event_id: event }, typed: { body: typed } };
  const complete = source !== 'event' || event !== undefined;
  return (
    <Section title={texts.request}>
      <Stack gap="md">
        <Select
          label={texts.app}
          allowDeselect={false}
          searchable
          data={apps.map(({ id, name }) => ({ value: id, label: name }))}
          value={app.id}
          onChange={(id) => change({ app: id ?? undefined, sample: undefined, event: undefined })}
        />
        <Input.Wrapper
          label={texts.kind}
          labelElement="div"
          description={available?.cannot_sign ?? texts.kindHints[kind]}
          inputWrapperOrder={['label', 'input', 'description']}
        >
          <SegmentedControl
            fullWidth
            mt={4}
            mb={4}
            aria-label={texts.kind}
            value={kind}
            data={sampleKinds.map((one) => ({
              value: one,
              label: texts.kinds[one],
              disabled: !allowed.some((other) => other === one),
            }))}
            onChange={(next) => change({ kind: sampleKinds.find((one) => one === next) })}
          />
        </Input.Wrapper>
        <Input.Wrapper label={texts.source} labelElement="div">
          <SegmentedControl
            fullWidth
            mt={4}
            aria-label={texts.source}
            value={source}
            data={sampleSources.map((one) => ({ value: one, label: texts.sources[one] }))}
            onChange={(next) => change({ source: sampleSources.find((one) => one === next) })}
          />
        </Input.Wrapper>
        {source === 'sample' && available && (
          <SampleChoice samples={available.data} chosen={sample} onChoose={(type) => change({ sample: type })} />
        )}
        {source === 'event' && (
          <StoredEventChoice appId={app.id} chosen={event} onChoose={(id) => change({ event: id })} />
        )}
        {source === 'typed' && <JsonEditor label={texts.typed} value={typed} onChange={setTyped} height={180} />}
        <Switch
          label={texts.verificationOnly}
          description={texts.verificationHint}
          checked={checkOnly}
          onChange={({ currentTarget }) => setCheckOnly(currentTarget.checked)}
        />
        <ActionButton
          leftSection={<Send size={14} aria-hidden />}
          loading={sending}
          reason={maySend ? (complete ? null : texts.chooseEvent) : texts.mayNotSend}
          onClick={() => onSend({ kind, ...what[source], verification_only: checkOnly })}
        >
          {texts.send}
        </ActionButton>
      </Stack>
    </Section>
  );
}

type Sample = Schema<'AvailableSampleView'>;

interface SampleChoiceProps {
  samples: Sample[];
  chosen: Sample | undefined;
  onChoose: (eventType: string) => void;
}

/** One of the samples in the App's manifest. */
function SampleChoice({ samples, chosen, onChoose }: SampleChoiceProps): ReactNode {
  if (!chosen) return <Text c="dimmed">{simulatorTexts.noSamples}</Text>;
  return (
    <Stack gap="xs">
      <Select
        label={simulatorTexts.sample}
        description={chosen.description}
        allowDeselect={false}
        searchable={samples.length > 8}
        data={samples.map(({ event_type }) => event_type)}
        value={chosen.event_type}
        onChange={(type) => type && onChoose(type)}
      />
      <CodeBlock label={simulatorTexts.typed} code={chosen.body} wrap />
    </Stack>
  );
}

const shown = 50;

interface StoredEventChoiceProps {
  appId: string;
  chosen: string | undefined;
  onChoose: (id: string | undefined) => void;
}

/** One of the App's last events. */
function StoredEventChoice({ appId, chosen, onChoose }: StoredEventChoiceProps): ReactNode {
  const mayRead = useScope('events:read_body');
  const { data = [] } = useProjectQuery(
    ['events', 'of-app', appId],
    async (signal) => {
      const query = { app_id: appId, limit: shown };
      return (await answer(api.GET('/api/v1/events', { params: { query }, signal }))).data;
    },
    { enabled: mayRead },
  );
  if (!mayRead) return <Text c="dimmed">{simulatorTexts.noScope}</Text>;
  return (
    <Select
      label={simulatorTexts.event}
      description={simulatorTexts.eventHint}
      searchable
      data={data.map(({ id, text, event_type }) => ({ value: id, label: text ?? event_type ?? id }))}
      value={chosen ?? null}
      onChange={(id) => onChoose(id ?? undefined)}
    />
  );
}
