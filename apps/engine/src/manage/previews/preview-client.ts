import { EventStream } from '#libs/service-kit';
import type { ServerResponse } from 'node:http';
import type { SessionFeed, ShownTurn } from './session-feed.js';

/**
 * One follower of a session. It is sent what differs from what it has. While it does not read, nothing is written, and
 * it is sent the difference once it does: a slow reader costs no memory and misses no words.
 */
export class PreviewClient {
  private readonly stream: EventStream;
  private readonly sent = new Map<string, ShownTurn>();

  constructor(
    private readonly feed: SessionFeed,
    response: ServerResponse,
    limits: { heartbeatMs: number; maxMs: number },
    onClose: () => void,
  ) {
    this.stream = new EventStream(response, limits, onClose);
    this.stream.onDrained(() => this.pump());
  }

  pump(): void {
    for (const turn of this.feed.turns.values()) {
      const before = this.sent.get(turn.turn_id);
      if (before === turn) continue;
      if (this.stream.isBehind) return;
      this.sent.set(turn.turn_id, turn);
      this.stream.write(turnFrame(turn, before));
    }
    for (const turnId of this.sent.keys()) {
      if (this.feed.turns.has(turnId)) continue;
      if (this.stream.isBehind) return;
      this.sent.delete(turnId);
      this.stream.write(`event: end\ndata: ${JSON.stringify({ turn_id: turnId })}\n\n`);
    }
  }

  end(): void {
    this.stream.end();
  }
}

/** Only what follows the text that both have. A new step, and a new claim of the turn, begin anew in the same message. */
function turnFrame({ turn_id, step, tools, text }: ShownTurn, before: ShownTurn | undefined): string {
  let at = 0;
  const known = before?.text ?? '';
  while (at < known.length && at < text.length && known[at] === text[at]) at += 1;
  return `event: turn\ndata: ${JSON.stringify({ turn_id, step, tools, at, text: text.slice(at) })}\n\n`;
}
