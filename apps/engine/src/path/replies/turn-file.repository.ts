import { Database } from '#libs/database';
import { Injectable } from '@nestjs/common';
import type { TurnFile } from '../../entities/turn-file.entity.js';

export type NewTurnFile = Omit<TurnFile, 'seq' | 'size'>;

export interface FileLimits {
  files: number;
  bytes: number;
}

/** The files of turns' answers. */
@Injectable()
export class TurnFiles {
  constructor(private readonly db: Database) {}

  /**
   * Attaches a file; the same one again changes nothing.
   * @returns how many the answer has; null: it would have too many, or too many bytes
   */
  async attach(file: NewTurnFile, limits: FileLimits): Promise<number | null> {
    return this.db.transaction(async (tx) => {
      // Calls of one step run in parallel, and count the same files.
      await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`files ${file.turn_id}`]);
      const rows = (await tx.query('SELECT sha256, name, size FROM engine.turn_file WHERE turn_id = $1', [
        file.turn_id,
      ])) as Pick<TurnFile, 'sha256' | 'name' | 'size'>[];
      if (rows.some(({ sha256, name }) => sha256 === file.sha256 && name === file.name)) return rows.length;
      const bytes = rows.reduce((sum, { size }) => sum + size, file.content.length);
      if (rows.length >= limits.files || bytes > limits.bytes) return null;
      const seq = rows.length + 1;
      await tx.query(
        `INSERT INTO engine.turn_file (turn_id, sha256, name, seq, content_type, size, content)
         VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [file.turn_id, file.sha256, file.name, seq, file.content_type, file.content.length, file.content],
      );
      return seq;
    });
  }

  /** In their order. */
  async contentsOf(turnId: string): Promise<Buffer[]> {
    const sql = 'SELECT content FROM engine.turn_file WHERE turn_id = $1 ORDER BY seq';
    return ((await this.db.query(sql, [turnId])) as Pick<TurnFile, 'content'>[]).map(({ content }) => content);
  }

  /** An image that tools have shown in a turn, counted from 1; null: there are fewer. */
  async shownImage(turnId: string, number: number): Promise<{ bytes: Buffer; mediaType: string } | null> {
    const [image] = (await this.db.query(
      `SELECT each.image ->> 'data' AS data, each.image ->> 'media_type' AS media_type
         FROM engine.step s CROSS JOIN LATERAL jsonb_array_elements(s.content -> 'images') WITH ORDINALITY AS each(image, place)
        WHERE s.turn_id = $1 AND s.kind = 'tool_result' AND jsonb_typeof(s.content -> 'images') = 'array'
        ORDER BY s.seq, each.place OFFSET $2 LIMIT 1`,
      [turnId, number - 1],
    )) as { data: string; media_type: string }[];
    return image ? { bytes: Buffer.from(image.data, 'base64'), mediaType: image.media_type } : null;
  }
}
