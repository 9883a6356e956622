import {
  Caller,
  Name,
  OneOf,
  OrderedQuery,
  pageOf,
  PageQuery,
  type Principal,
  RequireScopes,
  Text,
  TextList,
  Whole,
} from '#libs/service-kit';
import { Body, Controller, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiExcludeController, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ContactRepository } from './contact.repository.js';
import { ContactService, type PrivateAddress } from './contact.service.js';
import {
  AdmittedContactView,
  ContactDetailView,
  ContactMessagePage,
  ContactPage,
  PairingCodeView,
  readsAsNote,
} from './contact.dto.js';

const mostReadsAs = 50;

class ContactQuery extends OrderedQuery {
  @Text(200, {
    optional: true,
    minLength: 1,
    description: 'Part of the name, or the beginning of an address, ignoring case',
  })
  search?: string;
  @Text(7_000, { optional: true, description: 'Only contacts with these ids, separated by commas' }) ids?: string;
  @OneOf(['unknown', 'known', 'blocked'], { optional: true }) status?: string;
}

class ContactChange {
  @Name(200, { optional: true }) name?: string;
  @Whole(0, 1_000_000, { optional: true, nullable: true, description: 'Messages a day (UTC); null for no limit' })
  daily_budget?: number | null;
  @TextList(mostReadsAs, 200, { optional: true, description: readsAsNote }) reads_as?: string[];
}

class Merge {
  @Text(100, { minLength: 1, description: 'The contact to merge it into' }) into: string;
}

class PairingRequest {
  @Text(100, { minLength: 1 }) app_id: string;
}

@ApiTags('contacts')
@Controller('api/v1/contacts')
export class ContactController {
  constructor(
    private readonly service: ContactService,
    private readonly contacts: ContactRepository,
  ) {}

  @Get()
  @RequireScopes('contacts:read')
  @ApiOperation({ operationId: 'listContacts', summary: 'List contacts, newest first by default' })
  @ApiOkResponse({ type: ContactPage })
  async list(@Caller() caller: Principal, @Query() query: ContactQuery): Promise<ContactPage> {
    const rows = await this.contacts.list(caller.organizationId, caller.projectId, {
      status: query.status ?? null,
      ids: query.ids?.split(',') ?? null,
      search: query.search ?? null,
      cursor: query.cursor ?? null,
      order: query.order,
      limit: query.limit + 1,
    });
    return pageOf(rows, query.limit, (row) => row.id);
  }

  @Post('pairing-codes')
  @RequireScopes('contacts:write')
  @ApiOperation({
    operationId: 'createPairingCode',
    summary: 'Create a pairing code: whoever sends it becomes a known contact',
  })
  @ApiCreatedResponse({ type: PairingCodeView })
  pairingCode(@Caller() caller: Principal, @Body() body: PairingRequest): Promise<PairingCodeView> {
    return this.service.pairingCode(caller, body.app_id);
  }

  @Get(':id')
  @RequireScopes('contacts:read')
  @ApiOperation({ operationId: 'getContact', summary: 'Read a contact with its identities' })
  @ApiOkResponse({ type: ContactDetailView })
  get(@Caller() caller: Principal, @Param('id') id: string): Promise<ContactDetailView> {
    return this.service.get(caller, id);
  }

  @Get(':id/messages')
  @RequireScopes('contacts:read', 'events:read')
  @ApiOperation({
    operationId: 'listContactMessages',
    summary: 'List messages of a contact and of contacts merged into it',
  })
  @ApiOkResponse({ type: ContactMessagePage })
  async messages(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: PageQuery,
  ): Promise<ContactMessagePage> {
    const rows = await this.service.messages(caller, id, query.cursor ?? null, query.limit + 1);
    return pageOf(rows, query.limit, (row) => row.id);
  }

  @Patch(':id')
  @RequireScopes('contacts:write')
  @ApiOperation({
    operationId: 'changeContact',
    summary: 'Change the name or the daily budget of a contact, or as whom it reads',
  })
  @ApiOkResponse({ type: ContactDetailView })
  change(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: ContactChange,
  ): Promise<ContactDetailView> {
    return this.service.change(caller, id, { ...body });
  }

  @Post(':id/admit')
  @HttpCode(200)
  @RequireScopes('contacts:write')
  @ApiOperation({ operationId: 'admitContact', summary: 'Make a contact known and continue its held messages' })
  @ApiOkResponse({ type: AdmittedContactView })
  admit(@Caller() caller: Principal, @Param('id') id: string): Promise<AdmittedContactView> {
    return this.service.admit(caller, id);
  }

  @Post(':id/block')
  @HttpCode(200)
  @RequireScopes('contacts:write')
  @ApiOperation({ operationId: 'blockContact', summary: 'Stop routing the messages of a contact' })
  @ApiOkResponse({ type: ContactDetailView })
  block(@Caller() caller: Principal, @Param('id') id: string): Promise<ContactDetailView> {
    return this.service.block(caller, id);
  }

  @Post(':id/unblock')
  @HttpCode(200)
  @RequireScopes('contacts:write')
  @ApiOperation({ operationId: 'unblockContact', summary: 'Make a blocked contact an unknown one again' })
  @ApiOkResponse({ type: ContactDetailView })
  unblock(@Caller() caller: Principal, @Param('id') id: string): Promise<ContactDetailView> {
    return this.service.unblock(caller, id);
  }

  @Post(':id/resume')
  @HttpCode(200)
  @RequireScopes('contacts:write')
  @ApiOperation({ operationId: 'resumeContact', summary: 'End the pause set by the loop breaker' })
  @ApiOkResponse({ type: ContactDetailView })
  resume(@Caller() caller: Principal, @Param('id') id: string): Promise<ContactDetailView> {
    return this.service.resume(caller, id);
  }

  @Post(':id/merge')
  @HttpCode(200)
  @RequireScopes('contacts:write')
  @ApiOperation({ operationId: 'mergeContact', summary: 'Merge a contact into another one, which is returned' })
  @ApiOkResponse({ type: ContactDetailView })
  merge(@Caller() caller: Principal, @Param('id') id: string, @Body() body: Merge): Promise<ContactDetailView> {
    return this.service.merge(caller, id, body.into);
  }

  @Post(':id/unmerge')
  @HttpCode(200)
  @RequireScopes('contacts:write')
  @ApiOperation({ operationId: 'unmergeContact', summary: 'Undo a merge: identities and history go back' })
  @ApiOkResponse({ type: ContactDetailView })
  unmerge(@Caller() caller: Principal, @Param('id') id: string): Promise<ContactDetailView> {
    return this.service.unmerge(caller, id);
  }
}

/** For the engine, which asks contacts for approvals, and finds documents for them. */
@ApiExcludeController()
@Controller('internal/contacts')
@RequireScopes('service')
export class InternalContactController {
  constructor(private readonly service: ContactService) {}

  @Get(':id/private-address')
  async privateAddress(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query('or_by_mail') orByMail?: string,
  ): Promise<{ address: PrivateAddress | null }> {
    return { address: await this.service.privateAddress(caller, id, orByMail === 'true') };
  }

  @Get(':id/reads-as')
  async readsAs(@Caller() caller: Principal, @Param('id') id: string): Promise<{ reads_as: string[] }> {
    return { reads_as: await this.service.readsAs(caller, id) };
  }
}
