import { Alert, List, Stack, Text } from '@mantine/core';
import { Eye } from 'lucide-react';
import type { ReactNode } from 'react';
import { useCredentials } from '../../api/choices.js';
import type { Schema } from '../../api/client.js';
import { useScope } from '../../api/session.js';
import { toolTexts } from '../../texts/tools.js';
import { CodeBlock } from '../../ui/code-block.js';
import { FieldList } from '../../ui/facts.js';
import { ProjectLink } from '../../ui/links.js';
import { GradeBadge } from '../../ui/status-badge.js';

const texts = toolTexts.rehearsal;
type ToolRehearsal = Schema<'ToolRehearsalView'>;

/** What a call would send, and what an agent's call would need. */
export function Rehearsal({ of }: { of: ToolRehearsal }): ReactNode {
  const { refused, problems, request, credentials, grade } = of;
  const good = refused === null && problems.length === 0;
  return (
    <Stack gap="sm" role="status" aria-label={texts.title}>
      <Alert
        variant="light"
        color={refused ? 'red' : good ? 'blue' : 'yellow'}
        icon={<Eye size={18} aria-hidden />}
        title={refused ? texts.refused : texts.title}
      >
        {refused?.message ?? (request ? texts.nothingSent : texts.python)}
        {problems.length > 0 && (
          <>
            <Text mt="xs">{texts.problems}</Text>
            <List size="sm">
              {problems.map((problem, at) => (
                <List.Item key={at}>{problem}</List.Item>
              ))}
            </List>
          </>
        )}
      </Alert>
      {request && <CodeBlock label={texts.request} code={requestText(request)} wrap />}
      <FieldList
        fields={[
          [texts.credential, <Credentials key="credentials" of={credentials} />],
          [texts.grade, <GradeBadge key="grade" grade={grade} />],
          [texts.byHand, texts.asked[grade]],
          [texts.inTurns, <Agents key="agents" of={of} />],
        ]}
      />
    </Stack>
  );
}

function requestText({ method, url, headers, body }: NonNullable<ToolRehearsal['request']>): string {
  const head = headers.map(({ name, value }) => `${name}: ${value}`);
  return [`${method} ${url}`, ...head, '', JSON.stringify(body, null, 2)].join('\n');
}

function Credentials({ of }: { of: ToolRehearsal['credentials'] }): ReactNode {
  const { data: known = [] } = useCredentials(useScope('credentials:read'));
  if (of.length === 0) return texts.noCredential;
  return (
    <Stack gap={2}>
      {of.map(({ credential_id: id, as }) => (
        <span key={`${id} ${as}`}>
          <ProjectLink path={`/credentials/${id}`}>{known.find((one) => one.id === id)?.name ?? id}</ProjectLink>
          {as !== null && texts.as(as)}
        </span>
      ))}
    </Stack>
  );
}

function Agents({ of: { agents, more_agents: more, agents_error: error } }: { of: ToolRehearsal }): ReactNode {
  if (error) return error.message;
  if (agents.length === 0) return texts.noAgent;
  return (
    <Stack gap={2}>
      {agents.map(({ id, name, call }) => (
        <span key={id}>
          <ProjectLink path={`/agents/${id}`}>{name}</ProjectLink> {texts.calls[call]}
        </span>
      ))}
      {more > 0 && <span>{texts.more(more)}</span>}
    </Stack>
  );
}
