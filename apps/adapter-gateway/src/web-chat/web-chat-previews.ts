import type { ProjectScope } from '#libs/contracts';
import type { ServiceClient } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { ENGINE } from '../env.js';
import type { Conversing } from './web-chat.repository.js';

/** A page that is shown what is being written. */
export interface PreviewReader extends Conversing, ProjectScope {
  /** What it has been sent, by turn. */
  previews: Map<string, string>;
  stream: { write(frame: string): void; isBehind: boolean };
}

interface WrittenTurn {
  turn_id: string;
  address: string;
  text: string;
}

/** Addresses of one question to the engine. */
const askedAtOnce = 1_000;

/**
 * Shows what agents are writing, until it is sent. An engine that does not answer costs the preview only: what counts is
 * the message, which comes by another way.
 */
@Injectable()
export class WebChatPreviews {
  private readonly logger = new Logger('web-chat-previews');
  private asking = false;

  constructor(@Inject(ENGINE) private readonly engine: ServiceClient) {}

  /** Sends each page what differs from what it has; does nothing while an earlier question is open. */
  async show(readers: PreviewReader[]): Promise<void> {
    if (this.asking || readers.length === 0) return;
    this.asking = true;
    try {
      for (const [appId, ofApp] of Map.groupBy(readers, (reader) => reader.appId)) await this.showIn(appId, ofApp);
    } catch (error) {
      this.logger.debug({ event: 'web_chat.no_previews', reason: String(error) });
    } finally {
      this.asking = false;
    }
  }

  private async showIn(appId: string, readers: PreviewReader[]): Promise<void> {
    const [scope] = readers;
    if (!scope) return;
    const addresses = [...new Set(readers.map(({ visitor }) => visitor))];
    const turns: WrittenTurn[] = [];
    for (let from = 0; from < addresses.length; from += askedAtOnce) {
      const body = { app_id: appId, addresses: addresses.slice(from, from + askedAtOnce) };
      turns.push(...(await this.engine.post<{ turns: WrittenTurn[] }>('/internal/previews', scope, body)).turns);
    }
    const byAddress = Map.groupBy(turns, ({ address }) => address);
    for (const reader of readers) if (!reader.stream.isBehind) update(reader, byAddress.get(reader.visitor) ?? []);
  }
}

function update({ previews, stream }: PreviewReader, turns: WrittenTurn[]): void {
  for (const { turn_id, text } of turns) {
    const known = previews.get(turn_id) ?? '';
    // Without a word the page learns that somebody is at it.
    if (known === text && previews.has(turn_id)) continue;
    let at = 0;
    while (at < known.length && at < text.length && known[at] === text[at]) at += 1;
    previews.set(turn_id, text);
    stream.write(`event: turn\ndata: ${JSON.stringify({ turn_id, at, text: text.slice(at) })}\n\n`);
  }
  for (const turn_id of previews.keys()) {
    if (turns.some((turn) => turn.turn_id === turn_id)) continue;
    previews.delete(turn_id);
    stream.write(`event: end\ndata: ${JSON.stringify({ turn_id })}\n\n`);
  }
}
