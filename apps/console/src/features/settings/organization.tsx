import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { useSession } from '../../api/session.js';
import { settingsTexts } from '../../texts/settings.js';
import { Editable } from '../../ui/editable.js';
import { Section } from '../../ui/section.js';
import { OrganizationList } from './organization-list.js';
import { ProjectList } from './project-list.js';
import { Rename } from './rename.js';

const texts = settingsTexts.organization;

export function Organization(): ReactNode {
  const { organization } = useSession();
  return (
    <Stack gap="md">
      <ProjectList />
      <Section title={texts.title}>
        <Editable scope="organizations:write">
          <Rename
            key={organization.id}
            label={texts.name}
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
