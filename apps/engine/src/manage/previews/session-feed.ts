import { sanitizeReply } from '#libs/sanitizer';
import { noReplyWord } from '../../path/model/model.js';
import type { FoundPreview } from './preview.repository.js';
import type { TurnPreviewRow } from '../../entities/turn.entity.js';

/** A turn as its followers are shown it. */
export interface ShownTurn {
  turn_id: string;
  claim: number;
  version: number;
  step: number;
  tools: string[];
  /** As a reply is before it is sent: without thoughts, images and what leaks data when it is shown. */
  text: string;
}

/** Who is shown the turns of a session. */
interface Follower {
  /** Sends what has changed. */
  pump(): void;
  end(): void;
}

/** What happens in one session, for those who follow it in this process. */
export class SessionFeed {
  readonly clients = new Set<Follower>();
  readonly turns = new Map<string, ShownTurn>();

  show(row: TurnPreviewRow): void {
    const { turn_id, claim, version, step, tools } = row;
    const known = this.turns.get(turn_id);
    if (known && (known.claim > claim || (known.claim === claim && known.version >= version))) return;
    this.turns.set(turn_id, { turn_id, claim, version, step, tools, text: shownText(row.text) });
    for (const client of this.clients) client.pump();
  }

  end(turnId: string): void {
    if (!this.turns.delete(turnId)) return;
    for (const client of this.clients) client.pump();
  }

  /** @param found previews of the session in other processes @param isLive those of this process are newer */
  take(found: FoundPreview[], isLive: (turnId: string) => boolean): void {
    const ids = new Set(found.map(({ turn_id }) => turn_id));
    for (const { text, tools, ...row } of found) {
      if (text !== null && tools !== null && !isLive(row.turn_id)) this.show({ ...row, text, tools });
    }
    for (const id of this.turns.keys()) if (!ids.has(id) && !isLive(id)) this.end(id);
  }
}

/** An answer that says that there is none is not shown, from its first letter on. */
export function shownText(text: string): string {
  const { spoken } = sanitizeReply(text);
  return noReplyWord.startsWith(spoken) ? '' : spoken;
}
