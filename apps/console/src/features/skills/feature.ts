import { GraduationCap } from 'lucide-react';
import { answer, api } from '../../api/client.js';
import type { Feature } from '../../app/feature.js';
import { found, namedEntries } from '../../app/named.js';
import { skillTexts } from '../../texts/skills.js';

export const skillsFeature: Feature = {
  navigation: [{ group: 'build', label: skillTexts.nav, icon: GraduationCap, path: '/skills', scope: 'tools:read' }],
  searchLabel: skillTexts.palette.search,
  searchScope: 'tools:read',
  search: async (query, signal) => {
    const { data } = await answer(
      api.GET('/api/v1/skills', { params: { query: { search: query, limit: found } }, signal }),
    );
    return namedEntries(data, GraduationCap, '/skills');
  },
};
