import { Activity } from 'lucide-react';
import { answer, api } from '../../api/client.js';
import type { Palette } from '../../app/feature.js';
import { eventTexts } from '../../texts/events.js';

const found = 6;

export const eventsPalette: Palette = {
  label: eventTexts.palette.search,
  scope: 'events:read',
  search: async (query, signal) => {
    if (/^evt_\w+$/.test(query))
      return [{ id: query, label: eventTexts.palette.goTo(query), icon: Activity, path: `/events/${query}` }];
    const { data } = await answer(
      api.GET('/api/v1/events', { params: { query: { text: query, limit: found } }, signal }),
    );
    return data.map(({ id, text = id, event_type }) => ({
      id,
      label: text,
      description: event_type,
      icon: Activity,
      path: `/events/${id}`,
    }));
  },
};
