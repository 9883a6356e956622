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
    const { open, ...deliveries } = await this.rows.eraseDeliveries(caller, delivery_ids, by);
    const parsed = receipt_ids.length > 0 ? await this.rows.eraseParsed(caller, receipt_ids) : 0;
    if (identities.length === 0) return { erased: { ...deliveries, parsed }, open };
    const { open: beingSent, ...chats } = await this.rows.eraseChats(caller, identities, by);
    const sum = { deliveries: deliveries.deliveries + chats.deliveries, files: deliveries.files + chats.files };
    return { erased: { ...chats, ...sum, parsed }, open: open + beingSent };
  }
}
