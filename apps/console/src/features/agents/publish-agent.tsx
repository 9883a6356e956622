import { Badge, Group, Input, Skeleton, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { usePrincipalName } from '../../api/principals.js';
import { isProblem } from '../../api/problem.js';
import { useProjectId, useProjectQuery } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { useChange } from '../../api/use-change.js';
import { publishTexts as texts } from '../../texts/publish.js';
import { uiTexts } from '../../texts/ui.js';
import { ActionButton, ConfirmAction } from '../../ui/action-button.js';
import { CodeBlock } from '../../ui/code-block.js';
import { CopyField } from '../../ui/copy.js';
import { Editable, useReason } from '../../ui/editable.js';
import { LinkAnchor } from '../../ui/links.js';
import { errorBeside, ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { SaveBar } from '../../ui/save-bar.js';
import { useEditor } from '../../ui/use-editor.js';
import { When } from '../../ui/when.js';
import { PublicationFields, publicationFields, type PublicationValues } from './publication-fields.js';

type Publication = Schema<'PublicationView'>;

/** Whether others may ask the agent over A2A and MCP, and how they do. */
export function PublishAgent({ agentId, agentName }: { agentId: string; agentName: string }): ReactNode {
  const params = { path: { id: agentId } };
  const { data, error, refetch } = useProjectQuery(['publications', agentId], async (signal) => {
    try {
      return await answer(api.GET('/api/v1/agents/{id}/publication', { params, signal }));
    } catch (refusal) {
      if (isProblem(refusal, 'publication_not_found')) return null;
      throw refusal;
    }
  });
  if (error) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton height={320} />;
  if (data === null) return <NewPublication agentId={agentId} agentName={agentName} />;
  return (
    <Stack gap="md">
      <SavedPublication publication={data} />
      <HowToConnect publication={data} agentName={agentName} />
    </Stack>
  );
}

const touched = ['publications'];

const published = (id: string, body: PublicationValues): Promise<Publication> =>
  answer(
    api.PUT('/api/v1/agents/{id}/publication', {
      params: { path: { id } },
      body: { ...body, description: body.description.trim() },
    }),
  );

function NewPublication({ agentId, agentName }: { agentId: string; agentName: string }): ReactNode {
  const reason = useReason('agents:write');
  const [value, setValue] = useState({ name: toolNameOf(agentName), description: '', examples: [] as string[] });
  const publish = useChange(() => published(agentId, value), ...touched);
  return (
    <Section title={texts.title}>
      <Editable scope="agents:write">
        <PublicationFields
          value={value}
          error={publish.error}
          onChange={(patch) => setValue((before) => ({ ...before, ...patch }))}
        />
      </Editable>
      <ProblemAlert error={errorBeside(publish.error, publicationFields)} />
      <Group justify="flex-end" mt="md">
        <ActionButton
          reason={reason ?? (value.description.trim() === '' ? texts.needsDescription : null)}
          loading={publish.isPending}
          onClick={() => publish.mutate()}
        >
          {texts.publish}
        </ActionButton>
      </Group>
    </Section>
  );
}

function SavedPublication({ publication }: { publication: Publication }): ReactNode {
  const { agent_id: agentId, name, description, examples, published_by: by, published_at: at } = publication;
  const reason = useReason('agents:write');
  const nameOf = usePrincipalName([by]);
  const editor = useEditor({
    saved: { name, description, examples },
    touched,
    announce: uiTexts.saved,
    save: ({ value }) => published(agentId, value),
  });
  const params = { path: { id: agentId } };
  const unpublish = useChange(() => answer(api.DELETE('/api/v1/agents/{id}/publication', { params })), ...touched);
  return (
    <Section
      title={texts.published}
      actions={
        <ConfirmAction
          reason={reason}
          question={texts.unpublishQuestion}
          loading={unpublish.isPending}
          onConfirm={() => unpublish.mutate()}
        >
          {texts.unpublish}
        </ConfirmAction>
      }
    >
      <Editable scope="agents:write">
        <PublicationFields value={editor.value} error={editor.error} onChange={editor.set} />
        <SaveBar {...editor.bar} />
      </Editable>
      <ProblemAlert error={errorBeside(editor.error, publicationFields) ?? unpublish.error} />
      <Text size="sm" c="dimmed" mt="sm">
        {texts.publishedBy(nameOf(by))} <When at={at} relative />.
      </Text>
    </Section>
  );
}

function HowToConnect({ publication, agentName }: { publication: Publication; agentName: string }): ReactNode {
  const projectId = useProjectId();
  const mayMakeKeys = useScope('keys:write');
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
      <Section
        title={texts.connect}
        actions={
          mayMakeKeys && (
            <LinkAnchor
              size="sm"
              to={{
                to: '/p/$projectId/settings/$section',
                params: { projectId, section: 'keys' },
                search: { add: true },
              }}
            >
              {texts.makeKey}
            </LinkAnchor>
          )
        }
      >
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
