import { MessageCircleQuestionMark } from 'lucide-react';
import { answer, api, type Schema } from '../api/client.js';
import { own } from '../own.js';
import { named } from '../drawn/drawn-text.js';
import { contactTexts } from '../texts/contacts.js';
import { uiTexts } from '../texts/ui.js';
import { listed } from './palette.js';

/** Of how many people of that name. */
const people = 3;

/** Why somebody got no answer: a name finds their last message, with what became of it. */
export const lastMessagePalette = listed({
  label: contactTexts.palette.lastMessage,
  scope: 'contacts:read',
  icon: MessageCircleQuestionMark,
  path: '/events',
  ask: async (search, signal) => {
    const query = { search, limit: people };
    const { data: contacts } = await answer(api.GET('/api/v1/contacts', { params: { query }, signal }));
    const last = await Promise.all(contacts.map((contact) => lastMessageOf(contact, signal)));
    return { data: last.flat() };
  },
  entry: ({ name, text, state, why }) => ({
    label: `${named(name)}: ${text ?? contactTexts.palette.noText}`,
    description: [own(uiTexts.outcomes, state) ?? state, why].filter(Boolean).join('. '),
  }),
});

async function lastMessageOf({ id, name }: Schema<'ContactView'>, signal: AbortSignal) {
  const query = { contact_id: id, limit: 1 };
  const { data } = await answer(api.GET('/api/v1/events', { params: { query }, signal }));
  return data.map((event) => ({ ...event, name }));
}
