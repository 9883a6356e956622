import { MessagesSquare } from 'lucide-react';
import { answer, api } from '../../api/client.js';
import type { Feature } from '../../app/feature.js';
import { conversationTexts } from '../../texts/conversations.js';
import { topicOf } from './topic.js';

const most = 200;
const found = 6;

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
    const { data } = await answer(api.GET('/api/v1/sessions', { params: { query: { limit: most } }, signal }));
    const part = query.toLowerCase();
    return data
      .filter((session) => session.id === query || topicOf(session).toLowerCase().includes(part))
      .slice(0, found)
      .map((session) => ({
        id: session.id,
        label: topicOf(session),
        description: conversationTexts.statuses[session.status],
        icon: MessagesSquare,
        path: `/conversations/${session.id}`,
      }));
  },
};
