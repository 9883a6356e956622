import type { UseQueryResult } from '@tanstack/react-query';
import { answer, api, type Schema } from '../../api/client.js';
import { type CursorList, useCursorList, useProjectQuery } from '../../api/project-query.js';

type Session = Schema<'SessionDetailView'>;
type Turn = Schema<'ListedSessionTurnView'>;

/** One entry of a chat: a turn with its message and answer, or what a person did. */
type Entry = { at: string } & ({ turn: Turn; mark?: never } | { mark: Session['marks'][number]; turn?: never });

const pageSize = 20;
/** No event reports what another person does, so the session is polled. */
export const othersMs = 5_000;

export interface Conversation {
  session: UseQueryResult<Session>;
  turns: CursorList<Turn>;
  /** Oldest first. */
  entries: Entry[];
}

export function useConversation(sessionId: string): Conversation {
  const path = { id: sessionId };
  const session = useProjectQuery(
    ['conversations', sessionId],
    (signal) => answer(api.GET('/api/v1/sessions/{id}', { params: { path }, signal })),
    { refetchInterval: othersMs },
  );
  const turns = useCursorList(['conversations', sessionId, 'turns'], (cursor, signal) =>
    answer(api.GET('/api/v1/sessions/{id}/turns', { params: { path, query: { limit: pageSize, cursor } }, signal })),
  );
  return { session, turns, entries: entriesOf(session.data?.marks ?? [], turns) };
}

function entriesOf(marks: Session['marks'], { rows, hasMore }: CursorList<Turn>): Entry[] {
  const oldest = hasMore ? rows.at(-1)?.created_at : undefined;
  const shown = marks.filter(({ at }) => oldest === undefined || at >= oldest);
  // Turns that were stored together have one time: the order of the API, newest first, shows which came first.
  return [
    ...rows.toReversed().map((turn): Entry => ({ at: turn.created_at, turn })),
    ...shown.map((mark): Entry => ({ at: mark.at, mark })),
  ].sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

/** What the messages of a session have in common, without its App: `thread 4711`. */
export function topicOf({ key, app_id }: Pick<Schema<'SessionDetailView'>, 'key' | 'app_id'>): string {
  return key.startsWith(`${app_id} `) ? key.slice(app_id.length + 1) : key;
}
