import { Contact } from 'lucide-react';
import { answer, api } from '../../api/client.js';
import type { Palette } from '../../app/feature.js';
import { contactTexts } from '../../texts/contacts.js';

const found = 6;

export const contactsPalette: Palette = {
  label: contactTexts.title,
  scope: 'contacts:read',
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
