import { KeyRound, Plus } from 'lucide-react';
import { answer, api } from '../../api/client.js';
import type { Palette } from '../../app/feature.js';
import { found } from '../../app/named.js';
import { credentialTexts as texts } from '../../texts/credentials.js';

export const credentialsPalette: Palette = {
  actions: [{ id: 'new-credential', label: texts.palette.make, icon: Plus, path: '/credentials?make=' }],
  label: texts.palette.search,
  scope: 'credentials:read',
  search: async (query, signal) => {
    const { data } = await answer(
      api.GET('/api/v1/credentials', { params: { query: { search: query, limit: found } }, signal }),
    );
    return data.map(({ id, name, account }) => ({
      id,
      label: name,
      description: account?.name ?? undefined,
      icon: KeyRound,
      path: `/credentials/${id}`,
    }));
  },
};
