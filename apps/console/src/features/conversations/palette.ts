import { MessagesSquare } from 'lucide-react';
import { answer, api } from '../../api/client.js';
import type { Palette } from '../../app/feature.js';
import { found } from '../../app/named.js';
import { conversationTexts } from '../../texts/conversations.js';
import { topicOf } from './topic.js';

export const conversationsPalette: Palette = {
  label: conversationTexts.title,
  scope: 'channels:read',
  search: async (query, signal) => {
    const { data } = await answer(
      api.GET('/api/v1/sessions', { params: { query: { search: query, limit: found } }, signal }),
    );
    return data.map((session) => ({
      id: session.id,
      label: topicOf(session),
      description: conversationTexts.statuses[session.status],
      icon: MessagesSquare,
      path: `/conversations/${session.id}`,
    }));
  },
};
