import { Alert, Group, Select, Skeleton, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useAgents } from '../../api/choices.js';
import { answer, api, type Schema } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { type SenderKind, senderKinds, toolWords } from '../../texts/ui.js';
import { toolTexts } from '../../texts/tools.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';

const texts = toolTexts.whyNot;

/** Whether an agent's model is given the tool in the turn of one kind of sender, and if not, why and what to do. */
export function WhyNot({ tool }: { tool: Schema<'ToolView'> }): ReactNode {
  const { data: agents = [] } = useAgents();
  const [agentId, setAgentId] = useState<string | null>(null);
  const [sender, setSender] = useState<SenderKind>('admitted');
  const toolset = useProjectQuery(
    ['agents', agentId, 'toolset', sender],
    (signal) => {
      const params = { path: { id: agentId ?? '' }, query: { sender } };
      return answer(api.GET('/api/v1/agents/{id}/toolset', { params, signal }));
    },
    { enabled: agentId !== null },
  );
  return (
    <Section title={texts.title}>
      <Stack gap="md">
        <Group align="end" grow preventGrowOverflow={false}>
          <Select
            label={texts.agent}
            placeholder={texts.anyAgent}
            searchable
            data={agents.map(({ id, name }) => ({ value: id, label: name }))}
            value={agentId}
            onChange={setAgentId}
          />
          <Select
            label={toolWords.sender}
            allowDeselect={false}
            data={senderKinds.map((value) => ({ value, label: toolWords.senders[value] }))}
            value={sender}
            onChange={(next) => setSender(senderKinds.find((kind) => kind === next) ?? 'admitted')}
          />
        </Group>
        <ProblemAlert error={toolset.error} onRetry={() => void toolset.refetch()} />
        {agentId !== null && toolset.isPending && <Skeleton height={48} />}
        {toolset.data && <Verdict tool={tool} toolset={toolset.data} />}
      </Stack>
    </Section>
  );
}

function Verdict({ tool, toolset }: { tool: Schema<'ToolView'>; toolset: Schema<'AgentToolsetView'> }): ReactNode {
  const isIt = ({ id }: { id?: string }): boolean => id === tool.id;
  const offered = toolset.offered.find(isIt);
  const against = toolset.left_out.find(isIt) ?? toolset.by_search.find(isIt);
  const [color, text] = toolset.error
    ? ['yellow', toolset.error.message]
    : offered
      ? [
          'teal',
          [texts.offered(offered.name), toolWords.untrustedUses[offered.for_untrusted]].filter(Boolean).join(' '),
        ]
      : ['yellow', against?.what_to_do ?? texts.notGiven];
  return (
    <Alert variant="light" color={color} role="status">
      {text}
    </Alert>
  );
}
