import type { NormalizedMessage } from '#libs/contracts';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThan, Repository } from 'typeorm';
import { ParsedMessages } from './parsed-messages.entity.js';

@Injectable()
export class ParsedMessagesRepository {
  constructor(@InjectRepository(ParsedMessages) private readonly rows: Repository<ParsedMessages>) {}

  async keep(receiptId: string, organizationId: string, messages: NormalizedMessage[]): Promise<void> {
    const row = { receipt_id: receiptId, organization_id: organizationId, created_at: new Date() };
    await this.rows.upsert({ ...row, messages: JSON.stringify(messages) }, ['receipt_id']);
  }

  async read(receiptId: string, organizationId: string): Promise<NormalizedMessage[] | null> {
    const row = await this.rows.findOneBy({ receipt_id: receiptId, organization_id: organizationId });
    return row ? (JSON.parse(row.messages) as NormalizedMessage[]) : null;
  }

  /** The router reads them within seconds; parsing a receipt again stores them again. */
  async forgetOlderThan(ageMs: number): Promise<void> {
    await this.rows.delete({ created_at: LessThan(new Date(Date.now() - ageMs)) });
  }
}
