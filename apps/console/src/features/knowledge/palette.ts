import { BookOpen } from 'lucide-react';
import { answer, api } from '../../api/client.js';
import type { Palette } from '../../app/feature.js';
import { knowledgeTexts } from '../../texts/knowledge.js';

const found = 6;

export const knowledgePalette: Palette = {
  label: knowledgeTexts.palette.search,
  scope: 'knowledge:read',
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
