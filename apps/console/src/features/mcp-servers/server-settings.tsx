import { Stack, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { useProjectId } from '../../api/project-query.js';
import type { Schema } from '../../api/named-schema.js';
import { mcpTexts } from '../../texts/mcp-servers.js';
import { uiTexts } from '../../texts/ui.js';
import { Editable } from '../../ui/editable.js';
import { Facts } from '../../ui/facts.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { SaveBar } from '../../ui/save-bar.js';
import { Section } from '../../ui/section.js';
import { TextLink } from '../../ui/text-link.js';
import { useDraft } from '../../ui/use-draft.js';
import { When } from '../../ui/when.js';
import { PolicyField } from './policy-field.js';
import { SessionsField } from './sessions-field.js';
import { TrustField } from './trust-field.js';
import { useServerRefresh } from './use-server-refresh.js';

export function ServerSettings({ server }: { server: Schema<'ServerView'> }): ReactNode {
  const projectId = useProjectId();
  const refresh = useServerRefresh();
  const draft = useDraft({ name: server.name, policy: server.policy, trust: server.trust, sessions: server.sessions });
  const save = useMutation({
    mutationFn: () =>
      answer(api.PATCH('/api/v1/mcp-servers/{id}', { params: { path: { id: server.id } }, body: draft.change })),
    onSuccess: () => notifications.show({ message: uiTexts.saved, color: 'teal' }),
    onSettled: refresh,
  });
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
            value={draft.value.name}
            onChange={(event) => draft.set({ name: event.currentTarget.value })}
          />
          <PolicyField value={draft.value.policy} onChange={(policy) => draft.set({ policy })} />
          <TrustField
            value={draft.value.trust}
            now={server.trust}
            recommended={server.recommended_trust}
            onChange={(trust) => draft.set({ trust })}
          />
          <SessionsField value={draft.value.sessions} onChange={(sessions) => draft.set({ sessions })} />
          <ProblemAlert error={save.error} />
        </Stack>
        <SaveBar
          changed={draft.changed}
          saving={save.isPending}
          onSave={() => save.mutate()}
          onDiscard={draft.discard}
        />
      </Editable>
    </Stack>
  );
}
