import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { settingsTexts } from '../../texts/settings.js';
import { Page } from '../../ui/page.js';
import { UrlTabs } from '../../ui/url-tabs.js';
import { KeyList } from './key-list.js';
import { MemberList } from './member-list.js';
import { Organization } from './organization-list.js';
import { RoleTable } from './role-table.js';
import { SessionTable } from './session-table.js';

const route = getRouteApi('/p/$projectId/settings/$section');
const { sections } = settingsTexts;

const tabs = [
  { value: 'members', label: sections.members.label, content: <MemberList /> },
  { value: 'roles', label: sections.roles.label, content: <RoleTable /> },
  { value: 'keys', label: sections.keys.label, content: <KeyList /> },
  { value: 'organization', label: sections.organization.label, content: <Organization /> },
  { value: 'sessions', label: sections.sessions.label, content: <SessionTable /> },
] as const;

export function SettingsPage(): ReactNode {
  const { section, projectId } = route.useParams();
  const navigate = useNavigate();
  const { value } = tabs.find((tab) => tab.value === section) ?? tabs[0];
  return (
    <Page title={settingsTexts.title} description={sections[value].description}>
      <UrlTabs
        label={settingsTexts.title}
        value={value}
        tabs={tabs}
        onChange={(next) =>
          void navigate({ to: '/p/$projectId/settings/$section', params: { projectId, section: next } })
        }
      />
    </Page>
  );
}
