import { Contact } from 'lucide-react';
import { answer, api } from '../../api/client.js';
import type { Feature } from '../../app/feature.js';
import { contactTexts } from '../../texts/contacts.js';

const found = 6;

export const contactsFeature: Feature = {
  navigation: [
    { group: 'messages', label: contactTexts.nav, icon: Contact, path: '/contacts', scope: 'contacts:read' },
  ],
  searchLabel: contactTexts.title,
  searchScope: 'contacts:read',
  search: async (query, signal) => {
    const { data } = await answer(
      api.GET('/api/v1/contacts', { params: { query: { search: query, limit: found } }, signal }),
    );
    return data.map(({ id, name, status }) => ({
      id,
      label: name,
      description: contactTexts.statuses[status],
      icon: Contact,
      path: `/contacts/${id}`,
    }));
  },
};
