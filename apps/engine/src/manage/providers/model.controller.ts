import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { addressOf } from '../../path/model/provider-kind.js';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { ProviderDirectory } from '../../path/providers/provider-directory.js';
import { namedModel } from '../../path/providers/provider-models.js';
import { placeOf } from '../../entities/provider.entity.js';

class ModelSettingsView {
  @ApiProperty({
    enum: ['rehearsal', 'connected'],
    description: 'rehearsal: nothing is connected, and the built-in rehearsal model answers agents that name no model',
  })
  mode: 'rehearsal' | 'connected';
  @ApiProperty({ type: String, nullable: true, description: 'Host of the endpoint' }) host: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Model of agents that name none' })
  name: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Model that is used when the first does not answer' })
  fallback_name: string | null;
  @ApiProperty({ description: 'Currency of all costs, as ISO 4217 names it' }) currency: string;
}

@ApiTags('model')
@Controller('api/v1/model')
export class ModelController {
  constructor(
    private readonly directory: ProviderDirectory,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  @Get()
  @RequireScopes('agents:read')
  @ApiOperation({ operationId: 'getModel', summary: 'Read which model answers where an agent names none' })
  @ApiOkResponse({ type: ModelSettingsView })
  async get(@Caller() caller: Principal): Promise<ModelSettingsView> {
    const {
      MODEL_BASE_URL: url,
      MODEL_NAME: name,
      MODEL_FALLBACK_NAME: fallback,
      MODEL_CURRENCY: currency,
    } = this.settings;
    const usual = namedModel(await this.directory.of(caller), null, Boolean(url));
    if (usual) {
      const { provider, model } = usual;
      const { host } = new URL(addressOf(placeOf(provider)));
      return { mode: 'connected', host, name: `${provider.name}/${model}`, fallback_name: null, currency };
    }
    if (!url) return { mode: 'rehearsal', host: null, name: null, fallback_name: null, currency };
    return { mode: 'connected', host: new URL(url).host, name, fallback_name: fallback, currency };
  }
}
