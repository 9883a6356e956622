import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useProjectId } from '../../api/project-query.js';
import type { Schema } from '../../api/named-schema.js';
import { toolTexts } from '../../texts/tools.js';
import { toolWords } from '../../texts/tool-words.js';
import { CopyText } from '../../ui/copy-text.js';
import { Facts } from '../../ui/facts.js';
import { JsonView } from '../../ui/json-view.js';
import { Section } from '../../ui/section.js';
import { TextLink } from '../../ui/text-link.js';
import { ToolGrade } from './tool-grade.js';

const texts = toolTexts.one;

/** What a tool is, and its arguments. */
export function ToolDetails({ tool }: { tool: Schema<'ToolView'> }): ReactNode {
  const projectId = useProjectId();
  const { server_id: serverId } = tool;
  return (
    <Stack gap="md">
      <Section title={texts.details}>
        <Facts
          of={[
            [texts.name, <code>{tool.name}</code>],
            [texts.source, toolWords.sources[tool.source]],
            [
              texts.server,
              serverId && (
                <TextLink to={{ to: '/p/$projectId/mcp-servers/$serverId', params: { projectId, serverId } }}>
                  {serverId}
                </TextLink>
              ),
            ],
            [texts.credentials, tool.credentials.join(', ')],
            [texts.pin, tool.pin && <CopyText text={tool.pin} />],
            [texts.problem, tool.problem],
          ]}
        />
      </Section>
      {tool.source !== 'builtin' && <ToolGrade tool={tool} />}
      <Section title={texts.schema}>
        {tool.input_schema ? (
          <JsonView label={texts.schema} value={tool.input_schema} depth={3} />
        ) : (
          <Text c="dimmed">{texts.noArguments}</Text>
        )}
      </Section>
    </Stack>
  );
}
