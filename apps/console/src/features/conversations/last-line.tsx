import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import type { Schema } from '../../api/named-schema.js';

/** The newest message of a session. Rows out of sight ask for nothing. */
export function LastLine({ session }: { session: Schema<'SessionView'> }): ReactNode {
  const { id, updated_at } = session;
  const { data } = useProjectQuery(['last-line', id, updated_at], (signal) =>
    answer(api.GET('/api/v1/sessions/{id}/turns', { params: { path: { id }, query: { limit: 1 } }, signal })),
  );
  // A space of no width keeps the row's height while it is asked for.
  return data?.data[0]?.input.message.message ?? '\u200b';
}
