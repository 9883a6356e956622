import { Caller, PageQuery, type Principal, RequireScopes, RowNumberPipe, type Scope, Whole } from '#libs/service-kit';
import { Body, Get, HttpCode, Param, Post, Query, type Type } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Type as Typed } from 'class-transformer';
import type { RuleFields, RuleKind } from '../../entities/rule-version.entity.js';
import type { Restored, Rule, RuleHistory } from './rule-history.js';
import { Restoration, RuleDifferences, RuleVersionPage } from './rule-version.dto.js';

const versionNumber = new RowNumberPipe('version');

class ComparedWith {
  @Typed(() => Number)
  @Whole(1, 2_147_483_647, { optional: true, description: 'A version; default: the one in force' })
  with?: number;
}

interface Versioned<View> {
  kind: RuleKind;
  tag: string;
  /** What operations are named after. */
  noun: string;
  /** The parameter of its path. */
  id: string;
  read: Scope;
  write: Scope;
  view: Type<View>;
  restores: string;
}

/** What manages one kind of rule. */
interface Rules<View> {
  /** @throws Problem 404 */
  rule(caller: Principal, subject: string): Promise<Rule>;
  restore(caller: Principal, subject: string, fields: RuleFields, restored: Restored): Promise<View>;
}

/** The operations of the versions of one kind of rule, for a controller to extend. */
export function VersionsOf<View extends object>({ kind, tag, noun, id, read, write, view, restores }: Versioned<View>) {
  @ApiTags(tag)
  class Versions {
    constructor(
      readonly history: RuleHistory,
      readonly rules: Rules<View>,
    ) {}

    @Get()
    @RequireScopes(read)
    @ApiOperation({ operationId: `list${noun}Versions`, summary: `Versions of a ${kind}, newest first` })
    @ApiOkResponse({ type: RuleVersionPage })
    async list(
      @Caller() caller: Principal,
      @Param(id) subject: string,
      @Query() query: PageQuery,
    ): Promise<RuleVersionPage> {
      return this.history.list(caller, await this.rules.rule(caller, subject), query);
    }

    @Get(':version/differences')
    @RequireScopes(read)
    @ApiOperation({ operationId: `compare${noun}Versions`, summary: `What differs between two versions of a ${kind}` })
    @ApiOkResponse({ type: RuleDifferences })
    async differences(
      @Caller() caller: Principal,
      @Param(id) subject: string,
      @Param('version', versionNumber) version: number,
      @Query() query: ComparedWith,
    ): Promise<RuleDifferences> {
      return this.history.differences(caller, await this.rules.rule(caller, subject), version, query.with);
    }

    @Post(':version/restore')
    @HttpCode(200)
    @RequireScopes(write)
    @ApiOperation({ operationId: `restore${noun}Version`, summary: restores })
    @ApiOkResponse({ type: view })
    async restore(
      @Caller() caller: Principal,
      @Param(id) subject: string,
      @Param('version', versionNumber) version: number,
      @Body() body: Restoration,
    ): Promise<View> {
      const fields = await this.history.fields(caller, await this.rules.rule(caller, subject), version);
      return this.rules.restore(caller, subject, fields, { from: version, insteadOf: body.instead_of });
    }
  }
  return Versions;
}
