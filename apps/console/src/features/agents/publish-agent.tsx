import { Badge, Group, Input, Stack, TagsInput, Text, Textarea, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { isProblem } from '../../api/problem.js';
import { useProjectQuery } from '../../api/project-query.js';
import { useChange } from '../../api/use-change.js';
import { publishTexts as texts } from '../../texts/publish.js';
import { ActionButton, ConfirmAction } from '../../ui/action-button.js';
import { CodeBlock } from '../../ui/code-block.js';
import { CopyField } from '../../ui/copy.js';
import { useReason } from '../../ui/editable.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';

type Publication = Schema<'PublicationView'>;

/** Whether others may ask the agent over A2A and MCP, and how they do. */
export function PublishAgent({ agentId, agentName }: { agentId: string; agentName: string }): ReactNode {
  const params = { path: { id: agentId } };
  const { data, error } = useProjectQuery(['publications', agentId], async (signal) => {
    try {
      return await answer(api.GET('/api/v1/agents/{id}/publication', { params, signal }));
    } catch (refusal) {
      if (isProblem(refusal, 'publication_not_found')) return null;
      throw refusal;
    }
  });
  if (error) return <ProblemAlert error={error} />;
  if (data === undefined) return null;
  return (
    <Stack gap="md">
      <PublicationForm key={data?.published_at} agentId={agentId} agentName={agentName} saved={data} />
      {data && <HowToConnect publication={data} agentName={agentName} />}
    </Stack>
  );
}

function PublicationForm(props: { agentId: string; agentName: string; saved: Publication | null }): ReactNode {
  const { agentId, agentName, saved } = props;
  const params = { path: { id: agentId } };
  const reason = useReason('agents:write');
  const [name, setName] = useState(saved?.name ?? toolNameOf(agentName));
  const [description, setDescription] = useState(saved?.description ?? '');
  const [examples, setExamples] = useState(saved?.examples ?? []);
  const body = { name, description: description.trim(), examples };
  const publish = useChange(() => answer(api.PUT('/api/v1/agents/{id}/publication', { params, body })), 'publications');
  const unpublish = useChange(() => answer(api.DELETE('/api/v1/agents/{id}/publication', { params })), 'publications');
  return (
    <Section title={saved ? texts.published : texts.title}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {texts.hint}
        </Text>
        <TextInput
          label={texts.name}
          description={texts.nameHint(name)}
          maxLength={48}
          value={name}
          disabled={reason !== null}
          onChange={(event) => setName(event.target.value)}
        />
        <Textarea
          label={texts.description}
          description={texts.descriptionHint}
          autosize
          minRows={2}
          maxLength={2_000}
          value={description}
          disabled={reason !== null}
          onChange={(event) => setDescription(event.target.value)}
        />
        <TagsInput
          label={texts.examples}
          description={texts.examplesHint}
          maxTags={10}
          value={examples}
          disabled={reason !== null}
          onChange={setExamples}
        />
        <ProblemAlert error={publish.error ?? unpublish.error} />
        <Group justify="flex-end" gap="sm">
          {saved && (
            <ConfirmAction
              reason={reason}
              question={texts.unpublishQuestion}
              loading={unpublish.isPending}
              onConfirm={() => unpublish.mutate()}
            >
              {texts.unpublish}
            </ConfirmAction>
          )}
          <ActionButton
            reason={reason ?? (body.description === '' ? texts.needsDescription : null)}
            loading={publish.isPending}
            onClick={() => publish.mutate()}
          >
            {saved ? texts.save : texts.publish}
          </ActionButton>
        </Group>
      </Stack>
    </Section>
  );
}

function HowToConnect({ publication, agentName }: { publication: Publication; agentName: string }): ReactNode {
  const { a2a_url, card_url, mcp_url, name, description, examples } = publication;
  const server = { type: 'http', url: mcp_url, headers: { Authorization: 'Bearer gh_...' } };
  const config = JSON.stringify({ mcpServers: { gatehouse: server } }, null, 2);
  return (
    <>
      <Section title={texts.card}>
        <Stack gap="xs">
          <Group gap="sm">
            <Text fw={600}>{agentName}</Text>
            <Badge variant="default" tt="none">
              {`ask_${name}`}
            </Badge>
          </Group>
          <Text size="sm">{description}</Text>
          {examples.map((example) => (
            <Text key={example} size="sm" c="dimmed">
              {example}
            </Text>
          ))}
        </Stack>
      </Section>
      <Section title={texts.connect}>
        <Stack gap="sm">
          <Text size="sm" c="dimmed">
            {texts.keyHint}
          </Text>
          <CopyField label={texts.cardUrl} description={texts.cardUrlHint} value={card_url} />
          <CopyField label={texts.a2aUrl} value={a2a_url} />
          <CopyField label={texts.mcpUrl} description={texts.mcpUrlHint} value={mcp_url} />
          <Input.Wrapper label={texts.config} labelElement="div">
            <CodeBlock code={config} label={texts.config} />
          </Input.Wrapper>
        </Stack>
      </Section>
    </>
  );
}

/** A first suggestion, as the name of a tool may be. */
function toolNameOf(agentName: string): string {
  const plain = agentName
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_');
  return plain.replaceAll(/^[_0-9]+|_+$/g, '').slice(0, 48);
}
