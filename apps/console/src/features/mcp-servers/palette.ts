import { Plug } from 'lucide-react';
import { answer, api } from '../../api/client.js';
import type { Palette } from '../../app/feature.js';
import { found, namedEntries } from '../../app/named.js';
import { mcpTexts } from '../../texts/mcp-servers.js';

export const mcpServersPalette: Palette = {
  label: mcpTexts.palette.search,
  scope: 'tools:read',
  search: async (query, signal) => {
    const { data } = await answer(
      api.GET('/api/v1/mcp-servers', { params: { query: { search: query, limit: found } }, signal }),
    );
    const rows = data.map(({ id, name, url }) => ({ id, name, description: url }));
    return namedEntries(rows, Plug, '/mcp-servers');
  },
};
