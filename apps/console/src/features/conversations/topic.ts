import type { Schema } from '../../api/named-schema.js';

/** What the messages of a session have in common, without its App: `thread 4711`. */
export function topicOf({ key, app_id }: Pick<Schema<'SessionDetailView'>, 'key' | 'app_id'>): string {
  return key.startsWith(`${app_id} `) ? key.slice(app_id.length + 1) : key;
}
