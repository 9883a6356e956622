import { Caller, type Principal, RequireScopes, Text, TextList } from '#libs/service-kit';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ErasureRepository } from './erasure.repository.js';

class ErasedSubjects {
  @TextList(500, 100) receipt_ids: string[];
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
    @Body() { receipt_ids: ids }: ErasedSubjects,
  ): Promise<{ erased: Record<string, number>; open: number }> {
    return { erased: { requests: await this.rows.erase(caller, ids) }, open: 0 };
  }
}
