import { Alert, Group, Select, Skeleton, Stack, Text } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { agentTexts } from '../../texts/agents.js';
import { senderKinds, toolWords } from '../../texts/ui.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { GradeBadge } from '../../ui/status-badge.js';

const texts = agentTexts.tools;
const route = getRouteApi('/p/$projectId/agents/$agentId');

/** Which tools the model gets in the turn of one kind of sender, finds by search and never gets, with what to do. */
export function GivenTools({ agent }: { agent: Schema<'AgentDetail'> }): ReactNode {
  const { sender = 'admitted' } = route.useSearch();
  const navigate = useNavigate({ from: '/p/$projectId/agents/$agentId' });
  const isOther = sender !== 'admitted';
  const other = useProjectQuery(
    ['agents', agent.id, 'toolset', sender],
    (signal) => {
      const params = { path: { id: agent.id }, query: { sender } };
      return answer(api.GET('/api/v1/agents/{id}/toolset', { params, signal }));
    },
    { enabled: isOther },
  );
  const toolset = isOther ? other.data : agent.toolset;
  return (
    <Section title={texts.given}>
      <Stack gap="md">
        <Select
          label={toolWords.sender}
          allowDeselect={false}
          data={senderKinds.map((value) => ({ value, label: toolWords.senders[value] }))}
          value={sender}
          onChange={(next) => {
            const kind = senderKinds.find((one) => one === next && one !== 'admitted');
            void navigate({ search: (before) => ({ ...before, sender: kind }), replace: true });
          }}
        />
        <ProblemAlert error={other.error} onRetry={() => void other.refetch()} />
        {toolset ? <Toolset of={toolset} /> : isOther && other.isPending && <Skeleton height={160} />}
      </Stack>
    </Section>
  );
}

function Toolset({ of }: { of: Schema<'AgentToolsetView'> }): ReactNode {
  const { offered, by_search: bySearch, left_out: leftOut, problems, error } = of;
  return (
    <>
      {error && (
        <Alert color="yellow" variant="light">
          {error.message}
        </Alert>
      )}
      {problems.map((problem) => (
        <Alert key={problem} color="yellow" variant="light">
          {problem}
        </Alert>
      ))}
      <div>
        <Text fw={500}>{offered.length > 0 ? texts.offered(offered.length) : texts.nothingOffered}</Text>
        {offered.map(({ id, name, skill, grade, for_untrusted: use }) => (
          <div key={`${skill} ${name} ${id}`} style={{ marginTop: 4 }}>
            <Group gap={8}>
              <code style={{ overflowWrap: 'anywhere' }}>{name}</code>
              <GradeBadge grade={grade} />
            </Group>
            {use !== 'yes' && (
              <Text size="sm" c="dimmed">
                {toolWords.untrustedUses[use]}
              </Text>
            )}
          </div>
        ))}
      </div>
      {bySearch.length > 0 && <Text fw={500}>{texts.bySearch(bySearch.length)}</Text>}
      {leftOut.length > 0 && (
        <div>
          <Text fw={500}>{texts.leftOut}</Text>
          {leftOut.map(({ name, skill, what_to_do: todo }) => (
            <div key={`${skill} ${name}`} style={{ marginTop: 6, overflowWrap: 'anywhere' }}>
              <code>{name}</code>{' '}
              {skill && (
                <Text span size="sm" c="dimmed">
                  {texts.ofSkill(skill)}
                </Text>
              )}
              <Text size="sm" c="dimmed">
                {todo}
              </Text>
            </div>
          ))}
        </div>
      )}
    </>
  );
}
