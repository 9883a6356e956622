import { Caller, Edits, notFound, pageOf, type Principal, RequireScopes, ShowsEntityTag } from '#libs/service-kit';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  ErasedContact,
  ErasedMemories,
  MemoryChange,
  MemoryPage,
  MemoryQuery,
  memoryView,
  MemoryView,
} from './memory.dto.js';
import { MemoryRepository } from './memory.repository.js';

@ApiTags('memories')
@Controller('api/v1/memories')
export class MemoryController {
  constructor(private readonly memories: MemoryRepository) {}

  @Get()
  @RequireScopes('contacts:read', 'events:read')
  @ApiOperation({ operationId: 'listMemories', summary: 'List what agents remember of contacts, newest first' })
  @ApiOkResponse({ type: MemoryPage })
  async list(@Caller() caller: Principal, @Query() query: MemoryQuery): Promise<MemoryPage> {
    const page = pageOf(await this.memories.list(caller, query), query.limit, ({ id }) => id);
    return { ...page, data: page.data.map(memoryView) };
  }

  @Delete()
  @HttpCode(200)
  @RequireScopes('contacts:write', 'events:read')
  @ApiOperation({ operationId: 'eraseMemories', summary: 'Delete everything that agents remember of a contact' })
  @ApiOkResponse({ type: ErasedMemories })
  async erase(@Caller() caller: Principal, @Query() { contact_id: contact }: ErasedContact): Promise<ErasedMemories> {
    return { deleted: await this.memories.erase(caller, contact) };
  }

  @Get(':id')
  @ShowsEntityTag()
  @RequireScopes('contacts:read', 'events:read')
  @ApiOperation({ operationId: 'getMemory', summary: 'Read something that an agent remembers' })
  @ApiOkResponse({ type: MemoryView })
  async get(@Caller() caller: Principal, @Param('id') id: string): Promise<MemoryView> {
    const memory = await this.memories.find(caller, id);
    if (!memory) throw notFound('memory', id);
    return memoryView(memory);
  }

  @Patch(':id')
  @Edits<MemoryController>((controller, caller, id) => controller.get(caller, id))
  @RequireScopes('contacts:write', 'events:read')
  @ApiOperation({ operationId: 'correctMemory', summary: 'Correct what an agent remembers, or let it expire' })
  @ApiOkResponse({ type: MemoryView })
  async correct(@Caller() caller: Principal, @Param('id') id: string, @Body() body: MemoryChange): Promise<MemoryView> {
    const memory = await this.memories.correct(caller, id, body);
    if (!memory) throw notFound('memory', id);
    return memoryView(memory);
  }

  @Delete(':id')
  @HttpCode(204)
  @RequireScopes('contacts:write', 'events:read')
  @ApiOperation({ operationId: 'deleteMemory', summary: 'Have an agent forget something' })
  @ApiNoContentResponse()
  async delete(@Caller() caller: Principal, @Param('id') id: string): Promise<void> {
    if (!(await this.memories.delete(caller, id))) throw notFound('memory', id);
  }
}
