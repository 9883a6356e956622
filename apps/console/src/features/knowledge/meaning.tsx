import { Button, Group, Progress, Select, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { useChange } from '../../api/use-change.js';
import { knowledgeTexts } from '../../texts/knowledge.js';
import { ConfirmButton } from '../../ui/action-button.js';
import { Editable } from '../../ui/editable.js';
import { Facts } from '../../ui/facts.js';
import { MeaningFailure } from '../../ui/meaning-failure.js';
import { errorBeside, fieldError, ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { StatusBadge } from '../../ui/status-badge.js';

const texts = knowledgeTexts.meaning;
const workingMs = 2_000;
/** Documents come and change without the console. */
const readyMs = 10_000;
const installation = 'installation';

/** Which model finds documents by meaning, and how far it has come with them. */
export default function Meaning(): ReactNode {
  const { data, error, refetch } = useProjectQuery(
    ['knowledge', 'meaning'],
    (signal) => answer(api.GET('/api/v1/knowledge/meaning', { signal })),
    { refetchInterval: (view) => view?.state !== 'off' && (view?.state === 'ready' ? readyMs : workingMs) },
  );
  if (error && !data) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={240} />;
  return (
    <Stack gap="md" maw={860}>
      <Text>{texts.about}</Text>
      {data.state !== 'off' && <Chosen view={data} />}
      <Choice view={data} />
    </Stack>
  );
}

function Chosen({ view }: { view: Schema<'MeaningView'> }): ReactNode {
  const { state, documents, embedded, refused, failure } = view;
  const may = useScope('knowledge:write');
  const turnOff = useChange(() => answer(api.DELETE('/api/v1/knowledge/meaning')), 'knowledge');
  return (
    <Section
      title={texts.now}
      actions={
        may && (
          <ConfirmButton question={texts.offQuestion} loading={turnOff.isPending} onConfirm={() => turnOff.mutate()}>
            {texts.off}
          </ConfirmButton>
        )
      }
    >
      <Stack gap="sm">
        {failure && <MeaningFailure failure={failure} />}
        <Facts
          of={[
            [texts.state, <StatusBadge status={state} label={texts.states[state]} tone={tones[state]} />],
            [texts.model, view.model],
            [texts.provider, view.provider ?? texts.installation],
            [texts.embedded, texts.of(embedded, documents)],
            [texts.refused, refused > 0 && texts.parts(refused)],
          ]}
        />
        {embedded < documents && <Progress value={(100 * embedded) / documents} aria-label={texts.embedded} />}
        <ProblemAlert error={turnOff.error} />
      </Stack>
    </Section>
  );
}

const tones = { off: 'quiet', working: 'busy', ready: 'good', failing: 'bad' } as const;

function Choice({ view }: { view: Schema<'MeaningView'> }): ReactNode {
  const readsProviders = useScope('agents:read');
  const { data: providers } = useProjectQuery(
    ['providers'],
    (signal) => answer(api.GET('/api/v1/providers', { signal })),
    { enabled: readsProviders },
  );
  const [typed, setTyped] = useState<{ provider?: string; model?: string }>({});
  const known = view.state === 'off' ? null : (view.provider_id ?? installation);
  const provider = typed.provider ?? known ?? providers?.data[0]?.id ?? installation;
  const model = typed.model ?? view.model ?? '';
  const choose = useChange(async () => {
    const body = { provider_id: provider === installation ? null : provider, model: model.trim() };
    await answer(api.PUT('/api/v1/knowledge/meaning', { body }));
    setTyped({});
  }, 'knowledge');
  const isSame = provider === known && model.trim() === view.model;
  return (
    <Section title={view.state === 'off' ? texts.choose : texts.change}>
      <Editable scope="knowledge:write">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            choose.mutate();
          }}
        >
          <Stack gap="sm">
            <Select
              label={texts.provider}
              description={texts.providerHint}
              allowDeselect={false}
              data={[
                ...(providers?.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
                { value: installation, label: texts.installation },
              ]}
              value={provider}
              error={fieldError(choose.error, 'provider_id')}
              onChange={(next) => next && setTyped({ ...typed, provider: next })}
            />
            <TextInput
              label={texts.model}
              description={texts.modelHint}
              placeholder="text-embedding-3-small"
              maxLength={200}
              value={model}
              error={fieldError(choose.error, 'model')}
              onChange={(event) => setTyped({ ...typed, model: event.currentTarget.value })}
            />
            <ProblemAlert error={errorBeside(choose.error, ['provider_id', 'model'])} />
            <Group>
              <Button type="submit" loading={choose.isPending} disabled={model.trim() === '' || isSame}>
                {texts.go}
              </Button>
              {choose.isPending && (
                <Text size="sm" role="status">
                  {texts.trying}
                </Text>
              )}
            </Group>
          </Stack>
        </form>
      </Editable>
    </Section>
  );
}
