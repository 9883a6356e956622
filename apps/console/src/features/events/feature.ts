import { Activity, FlaskConical } from 'lucide-react';
import { answer, api } from '../../api/client.js';
import type { Feature } from '../../app/feature.js';
import { eventTexts } from '../../texts/events.js';
import { simulatorTexts } from '../../texts/simulator.js';

const found = 6;

export const eventsFeature: Feature = {
  navigation: [
    { group: 'messages', label: eventTexts.nav, icon: Activity, path: '/events', scope: 'events:read' },
    { group: 'connect', label: simulatorTexts.nav, icon: FlaskConical, path: '/simulator', scope: 'apps:write' },
  ],
  searchLabel: eventTexts.palette.search,
  searchScope: 'events:read',
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
