import { Flag, idOf, Name, OneOf, PageOf, Text, time, Whole } from '#libs/service-kit';
import { EventResultView } from '#libs/views';
import { ApiProperty } from '@nestjs/swagger';
import {
  type CatchUp,
  catchUps,
  type Overlap,
  overlaps,
  type ScheduleRow,
  type TickState,
  tickStates,
} from './schedule.entity.js';
import type { ResultingTick } from './schedule.service.js';

const words = {
  cron: 'Five fields: minute, hour, day of the month, month, day of the week',
  zone: 'IANA name, such as Europe/Berlin (default UTC)',
  workflow: 'What it starts, unless that is an agent',
  agent: 'Whom it sends its message, unless it starts a workflow',
  late: 'Seconds after its time from which a tick is late (default 60)',
  overlap: 'What a tick does while an earlier run is open (default skip)',
  catchUp: 'Which late ticks still run: none, the last one (default), or all up to a limit',
};

/** What a schedule has unless something else is given. */
export const scheduleDefaults = {
  time_zone: 'UTC',
  workflow_id: null,
  agent_id: null,
  message: '',
  late_after_s: 60,
  overlap: 'skip',
  catch_up: 'last',
  active: true,
} as const;

class ScheduleRules {
  @Text(100, { optional: true, minLength: 1, description: words.zone }) time_zone?: string;
  @Whole(1, 2_147_483_647, { optional: true, nullable: true, description: words.workflow }) workflow_id?: number | null;
  @Text(100, { optional: true, nullable: true, minLength: 1, description: words.agent }) agent_id?: string | null;
  @Text(100_000, { optional: true, description: 'Input of each run' }) message?: string;
  @Whole(10, 86_400, { optional: true, description: words.late }) late_after_s?: number;
  @OneOf(overlaps, { optional: true, description: words.overlap }) overlap?: Overlap;
  @OneOf(catchUps, { optional: true, description: words.catchUp }) catch_up?: CatchUp;
  @Flag({ optional: true, description: 'Off: it has no ticks' }) active?: boolean;
}

export class NewSchedule extends ScheduleRules {
  @Name(200) name: string;
  @Text(200, { minLength: 1, description: words.cron }) cron: string;
}

export class ScheduleChange extends ScheduleRules {
  @Name(200, { optional: true }) name?: string;
  @Text(200, { optional: true, minLength: 1, description: words.cron }) cron?: string;
}

export class ScheduleTimes {
  @Text(200, { minLength: 1, description: words.cron }) cron: string;
  @Text(100, { optional: true, minLength: 1, description: words.zone }) time_zone?: string;
}

const times = { type: 'array', items: { type: 'string', format: 'date-time' } } as const;

export class ScheduleTimesView {
  @ApiProperty({ ...times, description: 'The next ten' }) next: Date[];
}

export class ScheduleView implements Omit<ScheduleRow, 'planned_until'> {
  @ApiProperty(idOf('sch')) id: string;
  @ApiProperty(idOf('org')) organization_id: string;
  @ApiProperty(idOf('prj')) project_id: string;
  @ApiProperty() name: string;
  @ApiProperty({ description: words.cron }) cron: string;
  @ApiProperty({ description: 'IANA name' }) time_zone: string;
  @ApiProperty({ type: 'integer', nullable: true, description: words.workflow }) workflow_id: number | null;
  @ApiProperty({ ...idOf('agt'), nullable: true, description: words.agent }) agent_id: string | null;
  @ApiProperty() message: string;
  @ApiProperty({ type: 'integer', description: words.late }) late_after_s: number;
  @ApiProperty({ enum: overlaps, description: words.overlap }) overlap: Overlap;
  @ApiProperty({ enum: catchUps, description: words.catchUp }) catch_up: CatchUp;
  @ApiProperty() active: boolean;
  @ApiProperty({ description: '`key:<id>` or `user:<id>` of who made it or last changed it: its runs are theirs' })
  set_by: string;
  @ApiProperty(time) created_at: Date;
  @ApiProperty(time) updated_at: Date;
  @ApiProperty({ ...times, description: 'Its next times: ten of one schedule, one in a list; none while it is off' })
  next: Date[];

  static of({ planned_until: _planned, ...row }: ScheduleRow, next: Date[]): ScheduleView {
    return { ...row, next: row.active ? next : [] };
  }
}

export class SchedulePage extends PageOf(ScheduleView) {}

export class ScheduleTickView {
  @ApiProperty(idOf('tck')) id: string;
  @ApiProperty({ ...time, description: 'Its time by the schedule' }) at: Date;
  @ApiProperty({
    enum: tickStates,
    description:
      'ran: started in time. late: started later. missed: it was too late. skipped: it was not to run, for its reason. ' +
      'Others have not ended',
  })
  state: TickState;
  @ApiProperty({ type: String, nullable: true, description: 'Why it did not run, was late or waits' }) reason:
    string | null;
  @ApiProperty({ ...idOf('evt'), nullable: true }) event_id: string | null;
  @ApiProperty({ ...idOf('run'), nullable: true, description: 'Null: it started none, or an agent' }) run_id:
    string | null;
  @ApiProperty({ ...time, nullable: true }) started_at: Date | null;
  @ApiProperty({ ...time, nullable: true }) ended_at: Date | null;
  @ApiProperty({ type: EventResultView, nullable: true, description: 'What became of its event' })
  result: EventResultView | null;

  static of(tick: ResultingTick): ScheduleTickView {
    const { id, at, state, reason, event_id, run_id, started_at, ended_at, result } = tick;
    return { id, at, state, reason, event_id, run_id, started_at, ended_at, result };
  }
}

export class ScheduleTickPage extends PageOf(ScheduleTickView) {}
