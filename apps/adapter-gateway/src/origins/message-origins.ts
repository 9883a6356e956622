import type { MessageOrigin, NormalizedMessage } from '#libs/contracts';
import { Database } from '#libs/database';
import { Injectable } from '@nestjs/common';
import type { AppRow } from '../entities/app.entity.js';
import { isOwnMarker } from '#libs/direct-app';

/** Recognises a message that an App of this installation sent, whichever App it reaches. */
@Injectable()
export class MessageOrigins {
  constructor(private readonly db: Database) {}

  /**
   * Marks a message by its origin markers: `is_bot` if the App that got it had sent it (spec 4.2), and `origin` if
   * another App had. For `origin`, a marker that names no delivery of this installation is ignored.
   */
  async mark(app: AppRow, message: NormalizedMessage, markers: string[]): Promise<NormalizedMessage> {
    if (markers.length === 0) return message;
    if (markers.some((marker) => isOwnMarker(app, marker))) {
      return { ...message, is_bot: true, metadata: { ...message.metadata, is_self: true } };
    }
    const origin = await this.farthest(markers);
    return origin ? { ...message, origin } : message;
  }

  /** Looks at every organization, since a loop may lead through several. Only the id and the hop count are returned. */
  private async farthest(markers: string[]): Promise<MessageOrigin | null> {
    const ids = markers.flatMap((marker) => marker.split('.')[1] ?? []);
    const rows = (await this.db.query(
      `SELECT d.id AS delivery_id, coalesce((d.content -> 'target' ->> 'hops')::integer, 0) + 1 AS hops
         FROM gateway.delivery d JOIN gateway.app a ON a.id = d.app_id
        WHERE d.id = ANY($1) AND a.origin_marker || '.' || d.id = ANY($2) ORDER BY hops DESC LIMIT 1`,
      [ids, markers],
    )) as MessageOrigin[];
    return rows[0] ?? null;
  }
}
