import { KeyRound, Settings, UserPlus, UserRound } from 'lucide-react';
import { answer, api } from '../../api/client.js';
import type { Palette } from '../../app/feature.js';
import { found } from '../../app/named.js';
import { settingsTexts } from '../../texts/settings.js';

const texts = settingsTexts.palette;

export const settingsPalette: Palette = {
  actions: [
    { id: 'invite', label: texts.invite, icon: UserPlus, path: '/settings/members?add=true' },
    { id: 'create-key', label: texts.createKey, icon: KeyRound, path: '/settings/keys?add=true' },
    { id: 'my-sessions', label: texts.sessions, icon: UserRound, path: '/settings/sessions' },
    { id: 'roles', label: texts.roles, icon: UserRound, path: '/settings/roles' },
    { id: 'organization', label: texts.organization, icon: Settings, path: '/settings/organization' },
  ],
  label: texts.search,
  scope: 'members:read',
  search: async (query, signal) => {
    const { data } = await answer(
      api.GET('/api/v1/members', { params: { query: { search: query, limit: found } }, signal }),
    );
    return data.map(({ id, name, email }) => ({
      id,
      label: name,
      description: email ?? undefined,
      icon: UserRound,
      path: `/settings/members/${id}`,
    }));
  },
};
