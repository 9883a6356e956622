import { BookOpen } from 'lucide-react';
import { answer, api } from '../../api/client.js';
import type { Feature } from '../../app/feature.js';
import { knowledgeTexts } from '../../texts/knowledge.js';

const found = 6;

export const knowledgeFeature: Feature = {
  navigation: [
    { group: 'build', label: knowledgeTexts.nav, icon: BookOpen, path: '/knowledge', scope: 'knowledge:read' },
  ],
  searchLabel: knowledgeTexts.palette.search,
  searchScope: 'knowledge:read',
  search: async (query, signal) => {
    const params = { query: { q: query, limit: found } };
    const { data } = await answer(api.GET('/api/v1/knowledge/search', { params, signal }));
    const documents = new Map(data.map((passage) => [passage.document_id, passage]));
    return [...documents].map(([id, { title, excerpt }]) => ({
      id,
      label: title,
      description: excerpt.slice(0, 80),
      icon: BookOpen,
      path: `/knowledge/${id}`,
    }));
  },
};
