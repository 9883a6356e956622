import { RequireScopes } from '#libs/service-kit';
import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { type EngineSettings, SETTINGS } from '../settings.js';

class ModelSettingsView {
  @ApiProperty({
    enum: ['rehearsal', 'connected'],
    description: 'rehearsal: no endpoint is configured, and the built-in rehearsal model answers',
  })
  mode: 'rehearsal' | 'connected';
  @ApiProperty({ type: String, nullable: true, description: 'Host of the endpoint' }) host: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Model of agents that name none' })
  name: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Model that is used when the first does not answer' })
  fallback_name: string | null;
}

@ApiTags('model')
@Controller('api/v1/model')
export class ModelController {
  constructor(@Inject(SETTINGS) private readonly settings: EngineSettings) {}

  @Get()
  @RequireScopes('agents:read')
  @ApiOperation({ operationId: 'getModel', summary: 'Read which model answers in this installation' })
  @ApiOkResponse({ type: ModelSettingsView })
  get(): ModelSettingsView {
    const { MODEL_BASE_URL: url, MODEL_NAME: name, MODEL_FALLBACK_NAME: fallback } = this.settings;
    if (!url) return { mode: 'rehearsal', host: null, name: null, fallback_name: null };
    return { mode: 'connected', host: new URL(url).host, name, fallback_name: fallback };
  }
}
