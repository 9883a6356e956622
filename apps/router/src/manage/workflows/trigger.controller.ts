import {
  Caller,
  Edits,
  Flag,
  notFound,
  type Principal,
  RequireScopes,
  ShowsEntityTag,
  TagsWithout,
  Text,
  TextList,
  Whole,
} from '#libs/service-kit';
import { applyDecorators, Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { MinLength } from 'class-validator';
import { sanitiseEventType } from '../../path/routing/draft.js';
import { TriggerService } from './trigger.service.js';
import { TriggerTrialService } from './trigger-trial.service.js';
import { DryRunView, TriggerPage, type TriggerView, WarnedTriggerView } from './trigger.dto.js';
import { TriggerWarnings } from './trigger-warnings.js';

const perMinute = 'Maximum runs per minute; further ones are not started';
const perContact = 'Maximum runs per hour for one contact';
const debounce = 'A run waits until its sender has been silent for this long';
const debounceMax = 'Longest wait of a run (default: ten times debounce_seconds)';

/** A type that was copied with an invisible character would match no message, and nobody would see why. */
const EventTypes = (description?: string): PropertyDecorator =>
  applyDecorators(
    TextList(100, 200, { optional: true, ...(description && { description }) }),
    MinLength(1, { each: true, message: 'an event type needs at least one character that can be seen' }),
    Transform(({ value }: { value: unknown }) =>
      Array.isArray(value)
        ? value.map((type: unknown) => (typeof type === 'string' ? sanitiseEventType(type) : type))
        : value,
    ),
  );

class TriggerRules {
  @EventTypes('Every event of the App when absent or empty') event_types?: string[];
  @Text(2_000, {
    optional: true,
    description: 'CEL expression over event, contact, metadata and request; empty: every such event',
  })
  where?: string;
  @Whole(1, 100_000, { optional: true, nullable: true, description: perMinute }) limit_per_minute?: number | null;
  @Whole(1, 100_000, { optional: true, nullable: true, description: perContact }) contact_limit_per_hour?:
    number | null;
  @Whole(1, 3_600, { optional: true, nullable: true, description: debounce }) debounce_seconds?: number | null;
  @Whole(1, 86_400, { optional: true, nullable: true, description: debounceMax }) debounce_max_seconds?: number | null;
}

class NewTrigger extends TriggerRules {
  @Text(100, { minLength: 1 }) app_id: string;
  @Whole(1, 2_147_483_647) workflow_id: number;
}

class TriggerChange extends TriggerRules {
  @Flag({ optional: true }) active?: boolean;
}

class DryRun {
  @Text(100, { optional: true, description: 'Try only the messages of this event' }) event_id?: string;
  @Text(100, { minLength: 1 }) app_id: string;
  @EventTypes() event_types?: string[];
  @Text(2_000, { optional: true }) where?: string;
  @Whole(1, 500, { optional: true, description: "How many of the App's last messages are tried (default 100)" })
  limit?: number;
}

@ApiTags('triggers')
@Controller('api/v1/triggers')
export class TriggerController {
  constructor(
    private readonly triggers: TriggerService,
    private readonly trials: TriggerTrialService,
    private readonly warnings: TriggerWarnings,
  ) {}

  @Post()
  @RequireScopes('workflows:write')
  @ApiOperation({
    operationId: 'createTrigger',
    summary: 'Start a workflow for events of an App',
    description:
      '`warnings` says what the trigger changes for messages of the App that triggers cannot be asked about.',
  })
  @ApiCreatedResponse({ type: WarnedTriggerView })
  async create(@Caller() caller: Principal, @Body() body: NewTrigger): Promise<WarnedTriggerView> {
    return this.warned(caller, await this.triggers.create(caller, body));
  }

  @Post('dry-run')
  @HttpCode(200)
  @RequireScopes('workflows:write', 'events:read')
  @ApiOperation({
    operationId: 'dryRunTrigger',
    summary: 'Try a trigger on the last messages of an App',
    description: '`problem` says why an expression cannot run, and where, so an editor can ask while it is typed.',
  })
  @ApiOkResponse({ type: DryRunView })
  dryRun(@Caller() caller: Principal, @Body() body: DryRun): Promise<DryRunView> {
    return this.trials.run(caller, body);
  }

  @Get()
  @RequireScopes('workflows:read')
  @ApiOperation({ operationId: 'listTriggers', summary: 'Triggers of the project' })
  @ApiOkResponse({ type: TriggerPage })
  async list(@Caller() caller: Principal): Promise<TriggerPage> {
    return { data: await this.triggers.list(caller), next_cursor: null };
  }

  @Get(':id')
  @ShowsEntityTag()
  @TagsWithout('warnings')
  @RequireScopes('workflows:read')
  @ApiOperation({ operationId: 'getTrigger', summary: 'One trigger' })
  @ApiOkResponse({ type: WarnedTriggerView })
  async get(@Caller() caller: Principal, @Param('id') id: string): Promise<WarnedTriggerView> {
    const row = await this.triggers.find(caller, id);
    if (!row) throw notFound('trigger', id);
    return this.warned(caller, row);
  }

  @Patch(':id')
  @Edits<TriggerController>((controller, caller, id) => controller.get(caller, id))
  @TagsWithout('warnings')
  @RequireScopes('workflows:write')
  @ApiOperation({ operationId: 'changeTrigger', summary: 'Change a trigger' })
  @ApiOkResponse({ type: WarnedTriggerView })
  async change(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: TriggerChange,
  ): Promise<WarnedTriggerView> {
    const row = await this.triggers.change(caller, id, { ...body });
    if (!row) throw notFound('trigger', id);
    return this.warned(caller, row);
  }

  @Delete(':id')
  @HttpCode(204)
  @RequireScopes('workflows:write')
  @ApiOperation({ operationId: 'deleteTrigger', summary: 'Delete a trigger' })
  @ApiNoContentResponse()
  async remove(@Caller() caller: Principal, @Param('id') id: string): Promise<void> {
    if (!(await this.triggers.remove(caller, id))) throw notFound('trigger', id);
  }

  private async warned(caller: Principal, row: TriggerView): Promise<WarnedTriggerView> {
    return { ...row, warnings: await this.warnings.of(caller, row) };
  }
}
