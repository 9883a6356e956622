import { GraduationCap } from 'lucide-react';
import { answer, api } from '../../api/client.js';
import type { Feature } from '../../app/feature.js';
import { namedEntries } from '../../app/named.js';
import { skillTexts } from '../../texts/skills.js';

const looked = 200;

export const skillsFeature: Feature = {
  navigation: [{ group: 'build', label: skillTexts.nav, icon: GraduationCap, path: '/skills', scope: 'tools:read' }],
  searchLabel: skillTexts.palette.search,
  searchScope: 'tools:read',
  search: async (query, signal) => {
    const { data } = await answer(api.GET('/api/v1/skills', { params: { query: { limit: looked } }, signal }));
    return namedEntries(data, query, GraduationCap, '/skills');
  },
};
