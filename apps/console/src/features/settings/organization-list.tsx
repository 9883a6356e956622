import { Button, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Building2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { answer, api } from '../../api/client.js';
import { sessionIn, sessionQuery, useSession } from '../../api/session.js';
import { useSessionChange } from '../../api/use-change.js';
import { settingsTexts } from '../../texts/settings.js';
import { ActionButton } from '../../ui/action-button.js';
import { Editable, useReason } from '../../ui/editable.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { ListRow, RowList } from '../../ui/rows.js';
import { NameForm, Rename } from './name-form.js';
import { ProjectList } from './project-list.js';

const texts = settingsTexts.organizations;

/** All organizations that the person is a member of. */
function OrganizationList(): ReactNode {
  const { organization, organizations } = useSession();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const reason = useReason('organizations:write');
  const [adding, setAdding] = useState(false);
  const enter = useSessionChange(async (id: string) => {
    const session = await sessionIn(id);
    const project = session.projects.find(({ closed_at }) => !closed_at) ?? session.projects[0];
    queryClient.setQueryData(sessionQuery.queryKey, session);
    if (project) await navigate({ to: '/p/$projectId', params: { projectId: project.id } });
  });
  return (
    <Section
      title={texts.title}
      flush
      actions={
        <ActionButton
          size="compact-sm"
          leftSection={<Building2 size={14} aria-hidden />}
          reason={reason}
          onClick={() => setAdding(true)}
        >
          {texts.create}
        </ActionButton>
      }
    >
      <ProblemAlert error={enter.error} />
      <RowList>
        {organizations.map(({ id, name, role }) => (
          <ListRow key={id}>
            <Group gap="xs" flex={1}>
              <Text fw={500}>{name}</Text>
              <Text size="sm" c="dimmed">
                {texts.as(role)}
                {id === organization.id && ` · ${texts.here}`}
              </Text>
            </Group>
            {id !== organization.id && (
              <Button size="compact-sm" variant="default" onClick={() => enter.mutate(id)}>
                {texts.switch}
              </Button>
            )}
          </ListRow>
        ))}
      </RowList>
      <NameForm
        opened={adding}
        title={texts.create}
        label={texts.name}
        action={texts.createAction}
        save={(name) => answer(api.POST('/api/v1/organizations', { body: { name } }))}
        onClose={() => setAdding(false)}
      />
    </Section>
  );
}

const organizationTexts = settingsTexts.organization;

export function Organization(): ReactNode {
  const { organization } = useSession();
  return (
    <Stack gap="md">
      <ProjectList />
      <Section title={organizationTexts.title}>
        <Editable scope="organizations:write">
          <Rename
            key={organization.id}
            label={organizationTexts.name}
            name={organization.name}
            save={(name) =>
              answer(
                api.PATCH('/api/v1/organizations/{id}', { params: { path: { id: organization.id } }, body: { name } }),
              )
            }
          />
        </Editable>
      </Section>
      <OrganizationList />
    </Stack>
  );
}
