import { GraduationCap } from 'lucide-react';
import { answer, api } from '../../api/client.js';
import type { Palette } from '../../app/feature.js';
import { found, namedEntries } from '../../app/named.js';
import { skillTexts } from '../../texts/skills.js';

export const skillsPalette: Palette = {
  label: skillTexts.palette.search,
  scope: 'tools:read',
  search: async (query, signal) => {
    const { data } = await answer(
      api.GET('/api/v1/skills', { params: { query: { search: query, limit: found } }, signal }),
    );
    return namedEntries(data, GraduationCap, '/skills');
  },
};
