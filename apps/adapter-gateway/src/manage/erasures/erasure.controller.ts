import { Caller, NestedList, type Principal, RequireScopes, Text, TextList } from '#libs/service-kit';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ErasureRepository } from './erasure.repository.js';

class KnownSender {
  @Text(100, { minLength: 1 }) app_id: string;
  @Text(10_000) sender: string;
}

class ErasedSubjects {
  @TextList(10_000, 100, { optional: true }) delivery_ids?: string[];
  @TextList(500, 100, { optional: true }) receipt_ids?: string[];
  @NestedList(KnownSender, 10_000, { optional: true }) identities?: KnownSender[];
  @Text(200) by: string;
}

/** For the router, which erases a contact. Asked again, it erases what is new. */
@ApiExcludeController()
@Controller('internal/erasures')
@RequireScopes('service')
export class ErasureController {
  constructor(private readonly rows: ErasureRepository) {}

  @Post()
  @HttpCode(200)
  async erase(
    @Caller() caller: Principal,
    @Body() { delivery_ids = [], receipt_ids = [], identities = [], by }: ErasedSubjects,
  ): Promise<{ erased: Record<string, number>; open: number }> {
    const mails = identities.length > 0 ? await this.rows.mailsTo(identities) : [];
    const { open, ...deliveries } = await this.rows.eraseDeliveries(caller, [...delivery_ids, ...mails], by);
    const parsed = receipt_ids.length > 0 ? await this.rows.eraseParsed(caller, receipt_ids) : 0;
    // The rows of mails name deliveries that are being sent.
    const chats = identities.length > 0 && open === 0 ? await this.rows.eraseChats(caller, identities) : {};
    return { erased: { ...deliveries, parsed, ...chats }, open };
  }
}
