import { storableJson } from '#libs/database';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { FormattedText } from './split-message.js';

/** The parts of messages that the gateway splits, and how many of them are sent. */
@Injectable()
export class DeliveryPartRepository {
  constructor(private readonly db: DataSource) {}

  /** In order. */
  async of(deliveryId: string): Promise<FormattedText[]> {
    return (await this.db.query('SELECT text, format FROM gateway.delivery_part WHERE delivery_id = $1 ORDER BY seq', [
      deliveryId,
    ])) as FormattedText[];
  }

  /** Stores the parts of a message, and how many characters were cut. @param parts empty when the adapter splits it */
  async keep(deliveryId: string, parts: FormattedText[], cutChars: number): Promise<void> {
    await this.db.query(
      `WITH kept AS (
         INSERT INTO gateway.delivery_part (delivery_id, seq, text, format)
         SELECT $1, part.seq, part.value ->> 'text', part.value ->> 'format'
           FROM jsonb_array_elements($2::jsonb) WITH ORDINALITY AS part(value, seq)
         ON CONFLICT (delivery_id, seq) DO NOTHING)
       UPDATE gateway.delivery SET parts = nullif(jsonb_array_length($2::jsonb), 0), cut_chars = $3 WHERE id = $1`,
      [deliveryId, storableJson(parts), cutChars],
    );
  }

  /** Records that the provider has the parts before `fromPart`. It clears the error of an earlier attempt. */
  async advance(deliveryId: string, fromPart: number, firstMessageId: string): Promise<void> {
    await this.db.query(
      `UPDATE gateway.delivery SET from_part = $2, provider_message_id = $3, error = NULL, error_detail = NULL,
              failing_since = NULL
        WHERE id = $1 AND state = 'sending'`,
      [deliveryId, fromPart, firstMessageId],
    );
  }
}
