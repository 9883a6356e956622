import { FolderSync, Plus } from 'lucide-react';
import { answer, api } from '../../api/client.js';
import type { Palette } from '../../app/feature.js';
import { found } from '../../app/named.js';
import { sourceTexts as texts } from '../../texts/sources.js';

export const sourcesPalette: Palette = {
  actions: [{ id: 'add-source', label: texts.palette.add, icon: Plus, path: '/sources?add=true' }],
  label: texts.palette.search,
  scope: 'apps:read',
  search: async (query, signal) => {
    const { data } = await answer(
      api.GET('/api/v1/sources', { params: { query: { search: query, limit: found } }, signal }),
    );
    return data.map(({ id, name, resource_path }) => ({
      id,
      label: name,
      description: resource_path,
      icon: FolderSync,
      path: `/sources/${id}`,
    }));
  },
};
