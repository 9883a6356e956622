import type { ChangeRecord, JsonObject } from '#libs/adapter-sdk';
import { objectOf, objectsOf, textOf } from '../provider-calls/json-fields.js';

/** What history records, oldest first, did to a label: one change per mail, the last that befell it. */
export function changesIn(records: readonly JsonObject[], label: string): ChangeRecord[] {
  const changes = new Map<string, ChangeRecord>();
  const note = (entry: JsonObject, present: boolean): void => {
    const id = textOf(objectOf(entry.message).id);
    if (id === undefined) return;
    const path = `${id}.eml`;
    changes.set(
      path,
      present ? { path, fingerprint: id, status: 'added' } : { path, fingerprint: null, status: 'removed' },
    );
  };
  for (const record of records) {
    for (const entry of objectsOf(record.messagesAdded)) {
      if (names(objectOf(entry.message).labelIds, label)) note(entry, true);
    }
    for (const entry of objectsOf(record.labelsAdded)) if (names(entry.labelIds, label)) note(entry, true);
    for (const entry of objectsOf(record.labelsRemoved)) if (names(entry.labelIds, label)) note(entry, false);
    for (const entry of objectsOf(record.messagesDeleted)) note(entry, false);
  }
  return [...changes.values()];
}

function names(labels: unknown, label: string): boolean {
  return Array.isArray(labels) && labels.includes(label);
}
