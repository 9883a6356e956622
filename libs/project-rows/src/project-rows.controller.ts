import type { ProjectScope } from '#libs/contracts';
import type { HoldState, ProjectHold } from '#libs/journal';
import { Caller, JsonObject, type Principal, Problem, RequireScopes, Text, TextList, Whole } from '#libs/service-kit';
import { Body, Controller, Delete, Get, HttpCode, Inject, Optional, Post, Query } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { RouteConfig } from '@nestjs/platform-fastify';
import { Type } from 'class-transformer';
import { notHeld } from './project-lock.js';
import { type OpenCount, ProjectRows, type RowsInventory, type RowsPage } from './project-rows.repository.js';

/** Changes rows on their way, where they are sealed for their installation. */
export interface RowPassage {
  /** @param recipient the public key of the other installation */
  leave(scope: ProjectScope, table: string, page: RowsPage, recipient: Record<string, unknown>): Promise<RowsPage>;
  arrive(scope: ProjectScope, table: string, page: RowsPage): Promise<RowsPage>;
}

/** Injection token of the service's `RowPassage`, if it has one. */
export const ROW_PASSAGE = Symbol('rowPassage');

/** A page of rows in JSON: one row may be a document of some 25 MB, whose bytes are written in hex. */
export const rowsBodyBytes = 96 * 1024 * 1024;

/** How long rows are deleted in one request, of all services: who asks waits longer. */
export const removalMs = 10_000;

class OpenAsked {
  @TextList(1_000_000, 100) elsewhere: string[];
}

class PageAsked {
  @Text(100) table: string;
  @Text(10_000, { nullable: true }) after: string | null;
  @Text(10_000, { optional: true, nullable: true }) upto?: string | null;
  @JsonObject() recipient: Record<string, unknown>;
}

class RowsGiven {
  @Text(100) table: string;
  @JsonObject() page: RowsPage & Record<string, unknown>;
}

class RemovalAsked {
  @Type(() => Number) @Whole(1, removalMs) within_ms: number;
}

/** For the portal, which moves a project: the rows that this service has of the caller's project. */
@ApiExcludeController()
@Controller('internal/project-rows')
@RequireScopes('service')
export class ProjectRowsController {
  constructor(
    private readonly rows: ProjectRows,
    @Optional() @Inject(ROW_PASSAGE) private readonly seal: RowPassage | null,
  ) {}

  @Get()
  async inventory(@Caller() caller: Principal): Promise<RowsInventory> {
    refuseOthers(caller);
    return this.rows.inventory(caller);
  }

  @Post('open')
  @HttpCode(200)
  @RouteConfig({ bodyLimit: rowsBodyBytes })
  async open(@Caller() caller: Principal, @Body() { elsewhere }: OpenAsked): Promise<OpenCount[]> {
    refuseOthers(caller);
    return this.rows.open(caller, elsewhere);
  }

  @Post('pages')
  @HttpCode(200)
  async page(
    @Caller() caller: Principal,
    @Body() { table, after, upto, recipient }: PageAsked,
  ): Promise<RowsPage & { next: string | null }> {
    await this.require(caller, 'leaving', 'left');
    const { next, ...page } = await this.rows.page(caller, table, after, upto);
    return { ...(this.seal ? await this.seal.leave(caller, table, page, recipient) : page), next };
  }

  @Post()
  @HttpCode(204)
  @RouteConfig({ bodyLimit: rowsBodyBytes })
  async store(@Caller() caller: Principal, @Body() { table, page }: RowsGiven): Promise<void> {
    const { held_since: since } = await this.require(caller, 'arriving');
    await this.rows.store(caller, table, this.seal ? await this.seal.arrive(caller, table, page) : page, since);
  }

  /** As far as it comes in some seconds: ask again until nothing is left. */
  @Delete()
  async remove(@Caller() caller: Principal, @Query() { within_ms }: RemovalAsked): Promise<{ isDone: boolean }> {
    // Of one that has left, too: it comes back, which only the portal knows. What is handed on is still needed.
    const held = await this.require(caller, 'arriving', 'left');
    if (held.ended_at === null) throw notHeld(caller, held.state === 'left' ? 'left for good' : 'aborted');
    return { isDone: await this.rows.remove(caller, within_ms) };
  }

  /** Rows leave and arrive only while the project is held for that: nothing works on it then. */
  private async require(caller: Principal, ...states: HoldState[]): Promise<ProjectHold> {
    refuseOthers(caller);
    const held = await this.rows.holdOf(caller);
    if (held !== null && states.includes(held.state)) return held;
    throw notHeld(caller, states.join(' or '));
  }
}

/** Of the services only the portal knows who asks for a move. */
function refuseOthers({ subject }: Principal): void {
  if (subject !== 'service:portal') throw new Problem(403, 'not_the_portal', `${subject} may not move projects.`);
}
