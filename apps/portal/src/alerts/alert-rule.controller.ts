import { Caller, Edits, pageOf, PageQuery, type Principal, RequireScopes, ShowsEntityTag } from '#libs/service-kit';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { AlertRulePage, AlertRuleView, ChangeAlertRule, CreateAlertRule, MuteRule } from './alert-rule.dto.js';
import { AlertRuleRepository } from './alert-rule.repository.js';
import { AlertRuleService } from './alert-rule.service.js';
import { AlertWatcher } from './alert-watcher.js';
import { AlertPage, AlertQuery, AlertView, TestedAlerts } from './alert.dto.js';
import { AlertRepository } from './alert.repository.js';

@ApiTags('alert-rules')
@Controller('api/v1/alert-rules')
export class AlertRuleController {
  constructor(
    private readonly rules: AlertRuleRepository,
    private readonly service: AlertRuleService,
    private readonly watcher: AlertWatcher,
  ) {}

  @Get()
  @RequireScopes('alerts:read')
  @ApiOperation({ operationId: 'listAlertRules', summary: 'Alert rules, oldest first' })
  @ApiOkResponse({ type: AlertRulePage })
  async list(@Caller() caller: Principal, @Query() { limit, cursor }: PageQuery): Promise<AlertRulePage> {
    const rows = await this.rules.list(caller, limit + 1, cursor);
    return pageOf(rows.map(AlertRuleView.of), limit, ({ id }) => id);
  }

  @Get(':id')
  @RequireScopes('alerts:read')
  @ShowsEntityTag()
  @ApiOperation({ operationId: 'getAlertRule', summary: 'One alert rule' })
  @ApiOkResponse({ type: AlertRuleView })
  async get(@Caller() caller: Principal, @Param('id') id: string): Promise<AlertRuleView> {
    return AlertRuleView.of(await this.service.get(caller, id));
  }

  @Post()
  @RequireScopes('alerts:write')
  @ApiOperation({ operationId: 'createAlertRule', summary: 'Create an alert rule' })
  @ApiCreatedResponse({ type: AlertRuleView })
  async create(@Caller() caller: Principal, @Body() body: CreateAlertRule): Promise<AlertRuleView> {
    const rule = await this.service.create(caller, body);
    this.watcher.soon();
    return AlertRuleView.of(rule);
  }

  @Patch(':id')
  @RequireScopes('alerts:write')
  @Edits<AlertRuleController>((controller, caller, id) => controller.get(caller, id))
  @ApiOperation({ operationId: 'changeAlertRule', summary: 'Change an alert rule' })
  @ApiOkResponse({ type: AlertRuleView })
  async change(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: ChangeAlertRule,
  ): Promise<AlertRuleView> {
    return AlertRuleView.of(await this.service.change(caller, id, body));
  }

  @Delete(':id')
  @HttpCode(204)
  @RequireScopes('alerts:write')
  @ApiOperation({ operationId: 'deleteAlertRule', summary: 'Delete an alert rule; its history stays' })
  @ApiNoContentResponse()
  delete(@Caller() caller: Principal, @Param('id') id: string): Promise<void> {
    return this.service.delete(caller, id);
  }

  @Post(':id/mute')
  @HttpCode(200)
  @RequireScopes('alerts:write')
  @ApiOperation({ operationId: 'muteAlertRule', summary: 'Mute an alert rule for a time' })
  @ApiOkResponse({ type: AlertRuleView })
  async mute(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() { hours }: MuteRule,
  ): Promise<AlertRuleView> {
    return AlertRuleView.of(await this.service.mute(caller, id, hours));
  }

  @Post(':id/test')
  @HttpCode(202)
  @RequireScopes('alerts:write')
  @ApiOperation({ operationId: 'testAlertRule', summary: 'Send an alert that says that it is a test to all receivers' })
  @ApiAcceptedResponse({ type: TestedAlerts })
  async test(@Caller() caller: Principal, @Param('id') id: string): Promise<TestedAlerts> {
    return { data: (await this.service.test(caller, id)).map(AlertView.of) };
  }
}

@ApiTags('alerts')
@Controller('api/v1/alerts')
export class AlertController {
  constructor(private readonly alerts: AlertRepository) {}

  @Get()
  @RequireScopes('alerts:read')
  @ApiOperation({ operationId: 'listAlerts', summary: 'What was sent, and what waits or failed' })
  @ApiOkResponse({ type: AlertPage })
  async list(@Caller() caller: Principal, @Query() query: AlertQuery): Promise<AlertPage> {
    const { limit, order, cursor = null, rule_id: ruleId = null, state = null } = query;
    const rows = await this.alerts.list(caller, { limit: limit + 1, order, cursor, ruleId, state });
    return pageOf(rows.map(AlertView.of), limit, ({ id }) => id);
  }
}
