import { MessagesSquare } from 'lucide-react';
import { answer, api } from '../../api/client.js';
import type { Feature } from '../../app/feature.js';
import { found } from '../../app/named.js';
import { conversationTexts } from '../../texts/conversations.js';
import { topicOf } from './topic.js';

export const conversationsFeature: Feature = {
  navigation: [
    {
      group: 'messages',
      label: conversationTexts.nav,
      icon: MessagesSquare,
      path: '/conversations',
      scope: 'channels:read',
    },
  ],
  searchLabel: conversationTexts.title,
  searchScope: 'channels:read',
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
