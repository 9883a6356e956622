import {
  Caller,
  OneOf,
  type Page,
  pageOf,
  PageQuery,
  type Principal,
  RequireScopes,
  Text,
  Whole,
} from '#libs/service-kit';
import { Body, Controller, Get, HttpCode, Inject, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { MessageRow } from '../routing/message.entity.js';
import type { ContactRow } from './contact.entity.js';
import { ContactRepository } from './contact.repository.js';
import { type ContactDetail, ContactsService } from './contacts.service.js';

class ContactQuery extends PageQuery {
  @OneOf(['unknown', 'known', 'blocked'], { optional: true }) status?: string;
  @Text(200, { optional: true, description: 'Part of the name' }) search?: string;
}

class ContactChange {
  @Text(200, { optional: true, minLength: 1 }) name?: string;
  @Whole(0, 1_000_000, { optional: true, nullable: true, description: 'Messages a day (UTC); null for no limit' })
  daily_budget?: number | null;
}

class Merge {
  @Text(100, { minLength: 1, description: 'The contact that stays' }) into: string;
}

class PairingRequest {
  @Text(100, { minLength: 1 }) app_id: string;
}

@ApiTags('Contacts')
@Controller('api/v1/contacts')
export class ContactsController {
  constructor(
    @Inject(ContactsService) private readonly service: ContactsService,
    @Inject(ContactRepository) private readonly contacts: ContactRepository,
  ) {}

  @Get()
  @RequireScopes('contacts:read')
  @ApiOperation({ operationId: 'listContacts', summary: 'Contacts, newest first' })
  async list(@Caller() caller: Principal, @Query() query: ContactQuery): Promise<Page<ContactRow>> {
    const rows = await this.contacts.list(caller.organizationId, caller.projectId, {
      status: query.status ?? null,
      search: query.search ?? null,
      cursor: query.cursor ?? null,
      limit: query.limit + 1,
    });
    return pageOf(rows, query.limit, (row) => row.id);
  }

  @Post('pairing-codes')
  @RequireScopes('contacts:write')
  @ApiOperation({ operationId: 'createPairingCode', summary: 'A code that makes whoever sends it a known contact' })
  pairingCode(
    @Caller() caller: Principal,
    @Body() body: PairingRequest,
  ): Promise<{ code: string; expires_at: string }> {
    return this.service.pairingCode(caller, body.app_id);
  }

  @Get(':id')
  @RequireScopes('contacts:read')
  @ApiOperation({ operationId: 'getContact', summary: 'One contact with its identities' })
  get(@Caller() caller: Principal, @Param('id') id: string): Promise<ContactDetail> {
    return this.service.get(caller, id);
  }

  @Get(':id/messages')
  @RequireScopes('contacts:read', 'events:read')
  @ApiOperation({ operationId: 'listContactMessages', summary: 'Messages of a contact and of those merged into it' })
  async messages(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: PageQuery,
  ): Promise<Page<MessageRow>> {
    const rows = await this.service.messages(caller, id, query.cursor ?? null, query.limit + 1);
    return pageOf(rows, query.limit, (row) => row.id);
  }

  @Patch(':id')
  @RequireScopes('contacts:write')
  @ApiOperation({ operationId: 'changeContact', summary: 'Change the name or the daily budget of a contact' })
  change(@Caller() caller: Principal, @Param('id') id: string, @Body() body: ContactChange): Promise<ContactDetail> {
    return this.service.change(caller, id, { ...body });
  }

  @Post(':id/admit')
  @HttpCode(200)
  @RequireScopes('contacts:write')
  @ApiOperation({ operationId: 'admitContact', summary: 'Make a contact known and continue its held messages' })
  admit(@Caller() caller: Principal, @Param('id') id: string): Promise<{ contact: ContactDetail; released: number }> {
    return this.service.admit(caller, id);
  }

  @Post(':id/block')
  @HttpCode(200)
  @RequireScopes('contacts:write')
  @ApiOperation({ operationId: 'blockContact', summary: 'Stop routing the messages of a contact' })
  block(@Caller() caller: Principal, @Param('id') id: string): Promise<ContactDetail> {
    return this.service.block(caller, id);
  }

  @Post(':id/unblock')
  @HttpCode(200)
  @RequireScopes('contacts:write')
  @ApiOperation({ operationId: 'unblockContact', summary: 'Make a blocked contact an unknown one again' })
  unblock(@Caller() caller: Principal, @Param('id') id: string): Promise<ContactDetail> {
    return this.service.unblock(caller, id);
  }

  @Post(':id/resume')
  @HttpCode(200)
  @RequireScopes('contacts:write')
  @ApiOperation({ operationId: 'resumeContact', summary: 'End the pause that the loop breaker made' })
  resume(@Caller() caller: Principal, @Param('id') id: string): Promise<ContactDetail> {
    return this.service.resume(caller, id);
  }

  @Post(':id/merge')
  @HttpCode(200)
  @RequireScopes('contacts:write')
  @ApiOperation({ operationId: 'mergeContact', summary: 'Count a contact to another one; the answer is that one' })
  merge(@Caller() caller: Principal, @Param('id') id: string, @Body() body: Merge): Promise<ContactDetail> {
    return this.service.merge(caller, id, body.into);
  }

  @Post(':id/unmerge')
  @HttpCode(200)
  @RequireScopes('contacts:write')
  @ApiOperation({ operationId: 'unmergeContact', summary: 'Undo a merge: identities and history go back' })
  unmerge(@Caller() caller: Principal, @Param('id') id: string): Promise<ContactDetail> {
    return this.service.unmerge(caller, id);
  }
}
