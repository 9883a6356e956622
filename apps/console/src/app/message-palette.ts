import { Activity, TextSearch } from 'lucide-react';
import { answer, api } from '../api/client.js';
import { own } from '../own.js';
import { eventTexts } from '../texts/events.js';
import { uiTexts } from '../texts/ui.js';
import { limit, listed, type Palette } from './palette.js';

const texts = eventTexts.palette;
const isId = (query: string): boolean => /^evt_\w+$/.test(query);

const newest = listed({
  label: texts.search,
  scope: 'events:read',
  icon: Activity,
  path: '/events',
  direct: (id) => (isId(id) ? [{ id, label: texts.goTo(id), icon: Activity, path: `/events/${id}` }] : null),
  ask: (text, signal) => answer(api.GET('/api/v1/events', { params: { query: { text, limit } }, signal })),
  entry: ({ id, text = id, sender, state }) => ({
    label: text,
    description: [sender, own(uiTexts.outcomes, state) ?? state].filter(Boolean).join(' · '),
  }),
});

/**
 * Messages by what was written in them. One request looks through the newest EVENT_SEARCH_SCAN of the project: the list
 * goes on from there, so it is offered below them.
 */
export const messagePalette: Palette = {
  ...newest,
  search: async (query, signal) => {
    const found = (await newest.search?.(query, signal)) ?? [];
    if (isId(query)) return found;
    const path = `/events?text=${encodeURIComponent(query)}`;
    return [...found, { id: 'messages-with', label: texts.all(query), icon: TextSearch, path }];
  },
};
