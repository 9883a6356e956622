import { Caller, Edits, type Principal, RequireScopes, ShowsEntityTag, TagsWithout } from '#libs/service-kit';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Provider } from '../../entities/provider.entity.js';
import { ModelPrices } from '../../path/model/model-spending.js';
import { ProviderTestService } from './provider-test.service.js';
import {
  CreateProvider,
  PresetList,
  presetList,
  ProviderList,
  providerView,
  ProviderView,
  TestedView,
  TestProvider,
  UpdateProvider,
} from './provider.dto.js';
import { ProviderService } from './provider.service.js';

@ApiTags('providers')
@Controller('api/v1/providers')
export class ProviderController {
  constructor(
    private readonly providers: ProviderService,
    private readonly tests: ProviderTestService,
    private readonly prices: ModelPrices,
  ) {}

  @Get()
  @RequireScopes('agents:read')
  @ApiOperation({ operationId: 'listProviders', summary: 'List the providers of models, by name' })
  @ApiOkResponse({ type: ProviderList })
  async list(@Caller() caller: Principal): Promise<ProviderList> {
    return { data: (await this.providers.list(caller)).map((each) => this.view(each)) };
  }

  @Get('presets')
  @RequireScopes('agents:read')
  @ApiOperation({ operationId: 'listProviderPresets', summary: 'Providers that are known, with what each needs' })
  @ApiOkResponse({ type: PresetList })
  presets(): PresetList {
    return presetList();
  }

  @Post()
  @RequireScopes('agents:write')
  @ApiOperation({ operationId: 'createProvider', summary: 'Connect a provider of models' })
  @ApiCreatedResponse({ type: ProviderView })
  async create(@Caller() caller: Principal, @Body() body: CreateProvider): Promise<ProviderView> {
    return this.view(await this.providers.create(caller, body));
  }

  @Get(':id')
  @ShowsEntityTag()
  @TagsWithout('tested')
  @RequireScopes('agents:read')
  @ApiOperation({ operationId: 'getProvider', summary: 'Read a provider and its last test' })
  @ApiOkResponse({ type: ProviderView })
  async get(@Caller() caller: Principal, @Param('id') id: string): Promise<ProviderView> {
    return this.view(await this.providers.get(caller, id));
  }

  @Patch(':id')
  @TagsWithout('tested')
  @Edits<ProviderController>((controller, caller, id) => controller.get(caller, id))
  @RequireScopes('agents:write')
  @ApiOperation({ operationId: 'updateProvider', summary: 'Change a provider' })
  @ApiOkResponse({ type: ProviderView })
  async update(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: UpdateProvider,
  ): Promise<ProviderView> {
    return this.view(await this.providers.update(caller, id, body));
  }

  @Post(':id/test')
  @HttpCode(200)
  @RequireScopes('agents:write')
  @ApiOperation({
    operationId: 'testProvider',
    summary:
      'Try a provider: its list of models, an answer with each key, tools, images, streaming. It costs a few tokens',
  })
  @ApiOkResponse({ type: TestedView })
  async test(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() { model }: TestProvider,
  ): Promise<TestedView> {
    return this.tests.test(caller, await this.providers.get(caller, id), model ?? null);
  }

  @Delete(':id')
  @HttpCode(204)
  @RequireScopes('agents:write')
  @ApiOperation({ operationId: 'deleteProvider', summary: 'Delete a provider that no agent names' })
  @ApiNoContentResponse()
  delete(@Caller() caller: Principal, @Param('id') id: string): Promise<void> {
    return this.providers.delete(caller, id);
  }

  private view(provider: Provider): ProviderView {
    return providerView(provider, this.prices);
  }
}
