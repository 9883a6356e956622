import { type AskedWait, type WaitOutcome, waitOutcomes, type WaitReads } from '#libs/contracts';
import { Flag, idOf, JsonObject, OneOf, PageOf, PageQuery, Text, time, Whole } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import type { EventWaitRow } from './event-wait.entity.js';

const states = ['waiting', ...waitOutcomes] as const;

/** As the engine asks. */
export class AskedWaitBody implements AskedWait {
  @Text(100, { minLength: 1 }) turn_id: string;
  @Text(100, { minLength: 1 }) run_id: string;
  @Whole(1, 2_147_483_647) workflow_id: number;
  @Text(100, { nullable: true }) message_id: string | null;
  @Text(40, { minLength: 1 }) step: string;
  @Text(100, { nullable: true }) app_id: string | null;
  @Text(480, { nullable: true }) event_type: string | null;
  @Text(2_000, { nullable: true }) where: string | null;
  @JsonObject() given: WaitReads;
  @Flag() consume: boolean;
  @Text(40, { nullable: true }) since: string | null;
  @Text(40) until: string;
}

export class EventWaitQuery extends PageQuery {
  @OneOf(['open', 'ended'], { optional: true, description: 'open: it still waits' }) state?: 'open' | 'ended';
  @Text(100, { optional: true, description: 'Only those of this run' }) run_id?: string;
  @Type(() => Number)
  @Whole(1, 2_147_483_647, { optional: true, description: 'Only those of runs of this workflow' })
  workflow_id?: number;
}

export class EventWaitView {
  @ApiProperty(idOf('wai')) id: string;
  @ApiProperty(idOf('run')) run_id: string;
  @ApiProperty({ type: 'integer' }) workflow_id: number;
  @ApiProperty({ description: 'The step of the workflow that waits' }) step: string;
  @ApiProperty({ enum: states, description: 'fulfilled: an event came in time, and the run goes on' }) state:
    'waiting' | WaitOutcome;
  @ApiProperty({ ...idOf('app'), nullable: true, description: 'An event of this App; null: of any' }) app_id:
    string | null;
  @ApiProperty({ type: String, nullable: true, description: 'An event of this type; null: of any' }) event_type:
    string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'A condition (CEL) over the event and the run; null: none',
  })
  where: string | null;
  @ApiProperty({ description: 'Whether the event that fulfils it starts nothing else' }) consume: boolean;
  @ApiProperty({ ...idOf('evt'), nullable: true, description: 'The event that fulfilled it' }) event_id: string | null;
  @ApiProperty({ ...time, description: 'When it ends without an event' }) until: Date;
  @ApiProperty(time) created_at: Date;
  @ApiProperty({ ...time, nullable: true }) ended_at: Date | null;

  static of(row: EventWaitRow): EventWaitView {
    const { id, run_id, workflow_id, step, app_id, event_type, where, consume, event_id, until, created_at } = row;
    const state = row.outcome ?? 'waiting';
    const what = { app_id, event_type, where, consume };
    return { id, run_id, workflow_id, step, state, ...what, event_id, until, created_at, ended_at: row.decided_at };
  }
}

export class EventWaitPage extends PageOf(EventWaitView) {}
