import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { NewView, SavedViewPage, SavedViewView, ViewQuery } from './saved-view.dto.js';
import { SavedViewService } from './saved-view.service.js';

@ApiTags('views')
@Controller('api/v1/views')
export class SavedViewController {
  constructor(private readonly views: SavedViewService) {}

  @Get()
  @RequireScopes('events:read')
  @ApiOperation({ operationId: 'listViews', summary: 'Saved filters of a list: your own, and shared ones, by name' })
  @ApiOkResponse({ type: SavedViewPage })
  async list(@Caller() caller: Principal, @Query() { list }: ViewQuery): Promise<SavedViewPage> {
    return { data: await this.views.list(caller, list), next_cursor: null };
  }

  @Post()
  @RequireScopes('events:read')
  @ApiOperation({ operationId: 'createView', summary: 'Save the filters of a list under a name' })
  @ApiCreatedResponse({ type: SavedViewView })
  create(@Caller() caller: Principal, @Body() body: NewView): Promise<SavedViewView> {
    return this.views.create(caller, body);
  }

  @Delete(':id')
  @HttpCode(204)
  @RequireScopes('events:read')
  @ApiOperation({ operationId: 'deleteView', summary: 'Delete a view' })
  @ApiNoContentResponse()
  remove(@Caller() caller: Principal, @Param('id') id: string): Promise<void> {
    return this.views.remove(caller, id);
  }
}
