import { useContact } from '../../api/contacts.js';
import type { Schema } from '../../api/named-schema.js';
import { topicOf } from './topic.js';

/** Who a session is with: the contact by name, else what its messages have in common. @param session undefined while it is loaded */
export function useWhom(session: Schema<'SessionDetailView'> | undefined): string | undefined {
  const { data: contact } = useContact(session?.contact_id ?? null);
  return contact?.name ?? (session && topicOf(session));
}
