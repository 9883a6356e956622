import type { AttachedFile } from '#libs/adapter-sdk';
import { Database } from '#libs/database';
import { Injectable } from '@nestjs/common';
import type { WebChatAuthor, WebChatFileHead } from './web-chat.entity.js';
import type { Conversing } from './web-chat.repository.js';

/** What a conversation and its App have taken lately. */
export interface TakenFiles {
  /** Files that the visitor sent in the last hour. */
  ofVisitor: number;
  /** Bytes that visitors sent the App in the last day. */
  bytesOfApp: number;
}

@Injectable()
export class WebChatFileRepository {
  constructor(private readonly db: Database) {}

  /** Adds a file once: under an id that the conversation has, nothing changes. */
  async keep({ appId, visitor }: Conversing, author: WebChatAuthor, id: string, file: AttachedFile): Promise<void> {
    await this.db.query(
      `INSERT INTO gateway.web_chat_file (app_id, visitor, id, author, name, content_type, size, content)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (app_id, visitor, id) DO NOTHING`,
      [appId, visitor, id, author, file.name, file.contentType, file.bytes.length, file.bytes],
    );
  }

  /** Of these, the ones that the visitor has sent. */
  async sent({ appId, visitor }: Conversing, ids: string[]): Promise<WebChatFileHead[]> {
    return (await this.db.query(
      `SELECT id, name, content_type, size FROM gateway.web_chat_file
        WHERE app_id = $1 AND visitor = $2 AND id = ANY ($3) AND author = 'visitor' ORDER BY array_position($3, id)`,
      [appId, visitor, ids],
    )) as WebChatFileHead[];
  }

  async content({ appId, visitor }: Conversing, id: string): Promise<{ content: Buffer; content_type: string } | null> {
    const [row] = (await this.db.query(
      'SELECT content, content_type FROM gateway.web_chat_file WHERE app_id = $1 AND visitor = $2 AND id = $3',
      [appId, visitor, id],
    )) as { content: Buffer; content_type: string }[];
    return row ?? null;
  }

  async takenLately({ appId, visitor }: Conversing): Promise<TakenFiles> {
    const [row] = (await this.db.query(
      `SELECT count(*) FILTER (WHERE visitor = $2 AND created_at > now() - interval '1 hour')::integer AS files,
              coalesce(sum(size), 0)::float8 AS bytes
         FROM gateway.web_chat_file
        WHERE app_id = $1 AND author = 'visitor' AND created_at > now() - interval '1 day'`,
      [appId, visitor],
    )) as { files: number; bytes: number }[];
    return { ofVisitor: row?.files ?? 0, bytesOfApp: row?.bytes ?? 0 };
  }

  /** @returns how many were older, and are gone */
  async removeOld(days: number, limit: number): Promise<number> {
    const rows = (await this.db.query(
      `WITH gone AS (DELETE FROM gateway.web_chat_file WHERE ctid = ANY (ARRAY(
           SELECT ctid FROM gateway.web_chat_file WHERE created_at < now() - make_interval(days => $1)
            ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING 1)
       SELECT count(*)::integer AS n FROM gone`,
      [days, limit],
    )) as { n: number }[];
    return rows[0]?.n ?? 0;
  }
}
