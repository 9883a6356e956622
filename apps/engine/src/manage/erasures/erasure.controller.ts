import { Caller, type Principal, RequireScopes, Text, TextList } from '#libs/service-kit';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { TurnCancellation } from '../turns/turn-cancellation.service.js';
import { ErasureRepository } from './erasure.repository.js';

class ErasedSubjects {
  @TextList(500, 100, { optional: true }) receipt_ids?: string[];
  /** Of them, those in which nobody else has a message. */
  @TextList(500, 100, { optional: true }) own_receipt_ids?: string[];
  @TextList(500, 100, { optional: true }) message_ids?: string[];
  @TextList(1_000, 100, { optional: true }) contact_ids?: string[];
  @Text(200) by: string;
}

/** For the router, which erases a contact. Asked again, it erases what is new. */
@ApiExcludeController()
@Controller('internal/erasures')
@RequireScopes('service')
export class ErasureController {
  constructor(
    private readonly rows: ErasureRepository,
    private readonly cancellation: TurnCancellation,
  ) {}

  @Post()
  @HttpCode(200)
  async erase(
    @Caller() caller: Principal,
    @Body() { receipt_ids = [], own_receipt_ids: own = [], message_ids = [], contact_ids = [], by }: ErasedSubjects,
  ): Promise<{ erased: Record<string, number>; open: number; turn_ids: string[]; delivery_ids: string[] }> {
    const turns = await this.rows.turns(caller, receipt_ids, own, message_ids);
    // Nobody is answered any more: what they do would store what is erased.
    for (const turn of turns) if (!turn.ended) await this.cancellation.cancel(turn);
    const ended = turns.filter(({ rested }) => rested);
    const erased = await this.rows.eraseTurns(
      ended.map(({ id }) => id),
      by,
    );
    const turn_ids = turns.map(({ id }) => id);
    const documents = await this.rows.eraseDocuments(caller, own, turn_ids);
    const ofContacts =
      contact_ids.length > 0 ? await this.rows.eraseContacts(caller, contact_ids) : { erased: {}, delivery_ids: [] };
    const ids = turns.flatMap(({ answer_id, notice_id }) => [answer_id, notice_id].filter((id) => id !== null));
    return {
      erased: { ...erased, documents, ...ofContacts.erased },
      open: turns.length - ended.length,
      turn_ids,
      delivery_ids: [...ids, ...ofContacts.delivery_ids],
    };
  }
}
