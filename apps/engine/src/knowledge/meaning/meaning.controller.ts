import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { Body, Controller, Delete, Get, HttpCode, Put } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ChooseModel, MeaningView } from './meaning.dto.js';
import { MeaningService } from './meaning.service.js';

/** Listed before the documents, whose ids stand at the same place of an address. */
@ApiTags('knowledge')
@Controller('api/v1/knowledge/meaning')
export class MeaningController {
  constructor(private readonly meaning: MeaningService) {}

  @Get()
  @RequireScopes('knowledge:read')
  @ApiOperation({ operationId: 'getMeaning', summary: 'Read how documents are found by meaning' })
  @ApiOkResponse({ type: MeaningView })
  get(@Caller() caller: Principal): Promise<MeaningView> {
    return this.meaning.view(caller);
  }

  @Put()
  @RequireScopes('knowledge:write')
  @ApiOperation({
    operationId: 'chooseMeaning',
    summary:
      'Choose the model by which documents are found by meaning. It is tried with a word, then gets all documents',
  })
  @ApiOkResponse({ type: MeaningView })
  choose(@Caller() caller: Principal, @Body() { provider_id, model }: ChooseModel): Promise<MeaningView> {
    return this.meaning.choose(caller, { provider_id, model });
  }

  @Delete()
  @HttpCode(204)
  @RequireScopes('knowledge:write')
  @ApiOperation({ operationId: 'turnMeaningOff', summary: 'Find documents by words alone, and remove their vectors' })
  @ApiNoContentResponse()
  turnOff(@Caller() caller: Principal): Promise<void> {
    return this.meaning.turnOff(caller);
  }
}
