import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AvailableSamplesView, SampleView, SendSample } from './sample.dto.js';
import { SampleService } from './sample.service.js';

@ApiTags('apps')
@Controller('api/v1/apps/:id/samples')
export class SampleController {
  constructor(private readonly samples: SampleService) {}

  @Get()
  @RequireScopes('apps:read')
  @ApiOperation({ operationId: 'listSamples', summary: 'Samples that can be sent to an App as its provider would' })
  @ApiOkResponse({ type: AvailableSamplesView })
  list(@Caller() caller: Principal, @Param('id') id: string): Promise<AvailableSamplesView> {
    return this.samples.available(caller, id);
  }

  @Post()
  @HttpCode(200)
  @RequireScopes('apps:write')
  @ApiOperation({
    operationId: 'sendSample',
    summary: "Send a sample to an App's public URL, as its provider would; the answer has the response",
  })
  @ApiOkResponse({ type: SampleView })
  send(@Caller() caller: Principal, @Param('id') id: string, @Body() body: SendSample): Promise<SampleView> {
    return this.samples.send(caller, id, body);
  }
}
