import { Stack, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useProjectId } from '../../api/project-query.js';
import { mcpTexts } from '../../texts/mcp-servers.js';
import { uiTexts } from '../../texts/ui.js';
import { Editable } from '../../ui/editable.js';
import { Facts } from '../../ui/facts.js';
import { ProblemAlert } from '../../ui/notices.js';
import { SaveBar } from '../../ui/save-bar.js';
import { duration } from '../../ui/numbers.js';
import { Section } from '../../ui/page.js';
import { TextLink } from '../../ui/links.js';
import { useEditor } from '../../ui/use-editor.js';
import { When } from '../../ui/when.js';
import { PolicyField, SessionsField, TrustField } from './server-fields.js';
import { provided } from './server-actions.js';

export function ServerSettings({ server }: { server: Schema<'ServerView'> }): ReactNode {
  const projectId = useProjectId();
  const { id, name, policy, trust, sessions } = server;
  const editor = useEditor({
    saved: { name, policy, trust, sessions },
    touched: provided,
    announce: uiTexts.saved,
    save: ({ change: body }) => answer(api.PATCH('/api/v1/mcp-servers/{id}', { params: { path: { id } }, body })),
  });
  const { value, set } = editor;
  const { skill_id: skillId, server_info: info } = server;
  return (
    <Stack gap="md">
      <Section title={mcpTexts.facts}>
        <Facts
          of={[
            [mcpTexts.server, info && `${info.name} ${info.version}`],
            [mcpTexts.transport, server.transport],
            [mcpTexts.protocol, server.protocol_version],
            [mcpTexts.auth, mcpTexts.fields.modes[server.auth.mode]],
            [mcpTexts.checked, <When at={server.checked_at} />],
            [mcpTexts.holds, server.list_ttl_ms === null ? mcpTexts.holdsUnsaid : duration(server.list_ttl_ms)],
            [mcpTexts.nextListing, <When at={server.next_listing_at} />],
            [
              mcpTexts.skill,
              skillId && (
                <TextLink to={{ to: '/p/$projectId/skills/$skillId', params: { projectId, skillId } }}>
                  {mcpTexts.openSkill}
                </TextLink>
              ),
            ],
          ]}
        />
      </Section>
      <Editable scope="tools:write">
        <Stack gap="md" maw={520}>
          <TextInput
            label={mcpTexts.fields.name}
            maxLength={200}
            value={value.name}
            onChange={(event) => set({ name: event.currentTarget.value })}
          />
          <PolicyField value={value.policy} onChange={(next) => set({ policy: next })} />
          <TrustField
            value={value.trust}
            now={trust}
            recommended={server.recommended_trust}
            onChange={(next) => set({ trust: next })}
          />
          <SessionsField value={value.sessions} onChange={(next) => set({ sessions: next })} />
          <ProblemAlert error={editor.error} />
        </Stack>
        <SaveBar {...editor.bar} />
      </Editable>
    </Stack>
  );
}
