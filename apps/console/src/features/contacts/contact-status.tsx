import type { ReactNode } from 'react';
import type { Schema } from '../../api/named-schema.js';
import { contactTexts } from '../../texts/contacts.js';
import { StatusBadge } from '../../ui/status-badge.js';

/** How the system treats a contact. A merged one is treated as the contact it was merged into. */
export function ContactStatus({ contact }: { contact: Schema<'ContactView'> }): ReactNode {
  if (contact.merged_into) return <StatusBadge status={contactTexts.mergedBadge} />;
  return contact.status === 'unknown' ? (
    <StatusBadge status={contactTexts.statuses.unknown} tone="warn" />
  ) : (
    <StatusBadge status={contact.status} />
  );
}
