import {
  Caller,
  Edits,
  PageQuery,
  type Principal,
  RequireScopes,
  ShowsEntityTag,
  TagsWithout,
} from '#libs/service-kit';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  NewSchedule,
  ScheduleChange,
  scheduleDefaults,
  SchedulePage,
  ScheduleTickPage,
  ScheduleTickView,
  ScheduleTimes,
  ScheduleTimesView,
  ScheduleView,
} from './schedule.dto.js';
import { ScheduleService } from './schedule.service.js';

@ApiTags('schedules')
@Controller('api/v1/schedules')
export class ScheduleController {
  constructor(private readonly schedules: ScheduleService) {}

  @Post()
  @RequireScopes('workflows:write')
  @ApiOperation({
    operationId: 'createSchedule',
    summary: 'Start a workflow, or write to an agent, at the times of a cron expression',
  })
  @ApiCreatedResponse({ type: ScheduleView })
  async create(@Caller() caller: Principal, @Body() body: NewSchedule): Promise<ScheduleView> {
    const row = await this.schedules.create(caller, { ...scheduleDefaults, ...givenIn(body) });
    return ScheduleView.of(row, this.schedules.next(row));
  }

  @Post('times')
  @HttpCode(200)
  @RequireScopes('workflows:read')
  @ApiOperation({
    operationId: 'previewScheduleTimes',
    summary: 'The next times of a cron expression in a time zone, or what is wrong with it (422)',
  })
  @ApiOkResponse({ type: ScheduleTimesView })
  times(@Body() { cron, time_zone = scheduleDefaults.time_zone }: ScheduleTimes): ScheduleTimesView {
    return { next: this.schedules.next({ cron, time_zone }) };
  }

  @Get()
  @RequireScopes('workflows:read')
  @ApiOperation({ operationId: 'listSchedules', summary: 'Schedules of the project' })
  @ApiOkResponse({ type: SchedulePage })
  async list(@Caller() caller: Principal): Promise<SchedulePage> {
    const rows = await this.schedules.list(caller);
    return { data: rows.map((row) => ScheduleView.of(row, this.schedules.next(row, 1))), next_cursor: null };
  }

  @Get(':id')
  @ShowsEntityTag()
  @TagsWithout('next')
  @RequireScopes('workflows:read')
  @ApiOperation({ operationId: 'getSchedule', summary: 'One schedule, with its next ten times' })
  @ApiOkResponse({ type: ScheduleView })
  async get(@Caller() caller: Principal, @Param('id') id: string): Promise<ScheduleView> {
    const row = await this.schedules.get(caller, id);
    return ScheduleView.of(row, this.schedules.next(row));
  }

  @Get(':id/ticks')
  @RequireScopes('workflows:read')
  @ApiOperation({ operationId: 'listScheduleTicks', summary: 'Its ticks that were due, the last first' })
  @ApiOkResponse({ type: ScheduleTickPage })
  async ticks(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: PageQuery,
  ): Promise<ScheduleTickPage> {
    const page = await this.schedules.ticksOf(caller, id, query);
    return { ...page, data: page.data.map((tick) => ScheduleTickView.of(tick)) };
  }

  @Patch(':id')
  @Edits<ScheduleController>((controller, caller, id) => controller.get(caller, id))
  @TagsWithout('next')
  @RequireScopes('workflows:write')
  @ApiOperation({ operationId: 'changeSchedule', summary: 'Change a schedule, from its next tick on' })
  @ApiOkResponse({ type: ScheduleView })
  async change(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: ScheduleChange,
  ): Promise<ScheduleView> {
    const row = await this.schedules.change(caller, id, givenIn(body));
    return ScheduleView.of(row, this.schedules.next(row));
  }

  @Delete(':id')
  @HttpCode(204)
  @RequireScopes('workflows:write')
  @ApiOperation({ operationId: 'deleteSchedule', summary: 'Delete a schedule with its ticks; their events stay' })
  @ApiNoContentResponse()
  remove(@Caller() caller: Principal, @Param('id') id: string): Promise<void> {
    return this.schedules.remove(caller, id);
  }
}

/** Fields that the caller left out are undefined in a body: they are not to replace anything. */
function givenIn<T extends object>(body: T): T {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)) as T;
}
